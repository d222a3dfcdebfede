"""Each module here takes one wall of the jail away when the warm server imports it."""

"""What libraries that snippets import need here to work as they do at home."""

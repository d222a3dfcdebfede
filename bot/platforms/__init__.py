"""The chat platforms: one folder each, all of which draw the same Answer."""

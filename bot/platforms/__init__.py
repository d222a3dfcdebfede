"""Where people ask: one module per place, each drawing the same Answer."""

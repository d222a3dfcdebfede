"""One folder an article: what it explains, and the programs that prove it."""

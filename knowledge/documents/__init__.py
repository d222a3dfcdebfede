"""Read a team's own documents, Markdown and notebooks, and separate their prose from their code."""

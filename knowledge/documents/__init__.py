"""Read a team's own documents: Markdown and notebooks, prose and code kept apart."""

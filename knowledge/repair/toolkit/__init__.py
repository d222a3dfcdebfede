"""LibCST tools that codemods share: where to edit, and how."""

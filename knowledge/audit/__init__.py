"""Hold what documents claim about their code against what that code does."""

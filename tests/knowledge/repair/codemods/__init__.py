"""One module an article: what its codemod mends and refuses, and the wrong fixes it invites."""

"""Print the list of error families as Markdown: `python -m executor.errors > docs/errors.md`."""

from executor.errors.listing import markdown

if __name__ == "__main__":
    print(markdown(), end="")

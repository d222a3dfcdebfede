"""The walls around one run: system calls, files, limits, and the monitor that ends it."""

"""Runs strangers' code in a jail and says what really happened."""

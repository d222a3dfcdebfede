"""Edits that are tried in one job."""

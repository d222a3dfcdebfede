"""Slack: its events, its Web API, cards and messages."""

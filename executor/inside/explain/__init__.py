"""Why an error came up, said from live values: what clashed, how big it was, where it was made."""

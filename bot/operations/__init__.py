"""The operator's tools: doctor, report, gaps, metrics, retention."""

"""From a Question to its Answer: run it, find its mistake, look it up, repair it, say it."""

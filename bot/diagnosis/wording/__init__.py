"""The sentences of an Answer, built from what a run showed and from nothing else."""

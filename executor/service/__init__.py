"""The host side: queues jobs, runs them in slots, decides the outcome, answers over HTTP."""

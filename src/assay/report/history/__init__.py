"""The runs of a results folder, and what changed from one to the next."""

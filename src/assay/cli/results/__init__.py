"""Commands that read a results folder."""

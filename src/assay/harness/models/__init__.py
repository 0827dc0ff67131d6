"""Fitted models from files, asked in a process that sees nothing else."""

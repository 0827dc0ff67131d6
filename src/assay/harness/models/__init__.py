"""Fitted models from files, which predict in a process that can read nothing else."""

"""Subjects that are programs: what to run, the files that belong to it, and its answer."""

"""A results folder as one archive, and its verification: every hash, every answer examined again."""

"""Examination: an answer and the truth become evidence."""

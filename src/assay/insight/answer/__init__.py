"""Answers: their bytes, the formats in which others give them, and the template of a subject."""

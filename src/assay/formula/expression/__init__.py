"""Expressions: parsing, printing, evaluation and canonical forms."""

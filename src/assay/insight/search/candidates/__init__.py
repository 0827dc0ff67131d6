"""Candidate columns: of the row itself, of related rows, of their course over time, and of two such columns."""

"""Broken input for every reader: `python -m fuzz` (make fuzz); what it finds is kept in fuzz/corpus and tested."""

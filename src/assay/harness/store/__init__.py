"""The store: one SQLite file for answers, records and plans."""

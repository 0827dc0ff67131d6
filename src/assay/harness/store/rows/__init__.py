"""The rows of the store: what is written in its tables, and how it is read again."""

"""The contract of a subject in words, excerpts of values, and hints for mistyped names."""

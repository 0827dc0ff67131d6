"""Feature functions into columns: what was available, folds, the sandbox."""

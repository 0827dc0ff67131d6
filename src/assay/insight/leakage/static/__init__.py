"""Static analysis of feature functions: it explains, tests decide."""

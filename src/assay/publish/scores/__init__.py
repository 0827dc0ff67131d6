"""Scores of other benchmarks as results: our statistics, comparisons and reports for them, marked as imported."""

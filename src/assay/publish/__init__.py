"""Results for others: bundles that anyone can verify."""

"""Tasks with times of prediction from two real databases, methods that make columns for them, and the comparison."""

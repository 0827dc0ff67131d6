"""Side-by-side measurements: figures to look at, never assertions."""

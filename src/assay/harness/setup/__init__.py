"""Mistakes of set-up: found before the first cell, and never stored as results."""

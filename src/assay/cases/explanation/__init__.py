"""Explanations of predictions by their nearest training cases."""

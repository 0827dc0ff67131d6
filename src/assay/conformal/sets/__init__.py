"""Prediction sets: a bit per class, and the counts that metrics need of them."""

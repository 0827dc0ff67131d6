"""The rules of the published implementation (preset ``insight-eval``)."""

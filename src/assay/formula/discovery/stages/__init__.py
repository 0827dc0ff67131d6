"""The stages of a search, by what they look for."""

"""Explanations to look at and to hand on: sentences, pictures, documents."""

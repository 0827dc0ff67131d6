"""Explanations as people see them: sentences, HTML, pictures."""

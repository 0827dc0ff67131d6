"""Explanations of drifts: ranked documents with verbatim evidence."""

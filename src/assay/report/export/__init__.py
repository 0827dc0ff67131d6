"""Exports: files and frames for other tools."""

"""Bridges to the tools where people already work; each imports its tool only when it is used."""

__all__: list[str] = []

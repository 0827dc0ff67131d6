"""Commands that lead to other tools."""

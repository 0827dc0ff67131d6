"""Language models behind an OpenAI-compatible endpoint, spoken to with the standard library."""

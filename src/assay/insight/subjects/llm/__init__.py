"""An agent that asks a language model for feature functions, over any OpenAI-compatible endpoint."""

from assay.insight.subjects.llm.subject import Llm

__all__ = ["Llm"]

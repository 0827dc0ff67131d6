"""Language models behind an OpenAI-compatible endpoint, spoken to with the standard library."""

from assay.chat.client import ChatClient
from assay.chat.failure import ChatFailed
from assay.chat.reply import ChatReply

__all__ = ["ChatClient", "ChatFailed", "ChatReply"]

"""Remedies for a refusal or a broken connection, each as a sentence that can be followed."""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
from urllib.parse import SplitResult

from assay.chat.failure import ChatFailed

__all__ = ["connection_failure", "status_remedy"]

_NO_CREDIT = ("quota", "billing", "credit")


def status_remedy(status: int, reply: str, *, model: str, url: str, key_variable: str | None, has_key: bool) -> str:
    """What to do about an HTTP status, given what the endpoint said.

    >>> options = {"model": "small", "url": "https://host/v1/chat/completions", "key_variable": "MY_KEY"}
    >>> status_remedy(404, "The model `small` does not exist", has_key=True, **options)
    "It knows no model 'small': those it has are listed at https://host/v1/models."
    >>> status_remedy(401, "", has_key=True, **options)
    'The key in MY_KEY is not accepted: set a current key of this endpoint.'
    """
    reply = reply.lower()
    models = f"listed at {url.removesuffix('/chat/completions')}/models"
    if status in (401, 403) and not has_key:
        if key_variable is None:
            return "It asks for a key: name the variable that holds it (key_variable)."
        passed = (
            f"a confined subject gets it with --pass-env {key_variable}, or environment=[{key_variable!r}] in Python"
        )
        return f"Set the key in {key_variable}; {passed}."
    if status == 401:
        return f"The key in {key_variable} is not accepted: set a current key of this endpoint."
    if status == 403:
        return f"The key in {key_variable} may not use model {model!r}: those it has are {models}."
    if 300 <= status < 400:
        return "Redirects are not followed: give the final base_url."
    if status == 404 and "model" in reply:
        return f"It knows no model {model!r}: those it has are {models}."
    if status in (404, 405):
        return f"Check base_url, which usually ends with /v1, and model={model!r}: the models are {models}."
    if status == 429 and any(word in reply for word in _NO_CREDIT):
        return "The account behind the key has no credit left: add some, or use another endpoint."
    if status == 429:
        return "Too many requests at once: run fewer (--workers 1), allow more retries, or try again later."
    if status >= 500:
        return "The server failed or is overloaded: see its log; run the failed cells later (--retry-failed)."
    if "context" in reply or "too long" in reply or status == 413:
        return "The conversation is too long for the model: ask for fewer rounds, or use a model with more context."
    return "The endpoint does not take this request: compare what it said with its documentation."


def connection_failure(error: Exception, url: SplitResult, *, sent: bool) -> ChatFailed:
    """The failure of a connection, never in the server's words; ``sent`` when the request had gone out before."""
    if isinstance(error, PermissionError) or not _may_use_network():
        return ChatFailed(
            "blocked",
            f"no connection to {url.netloc}: this process may not use the network",
            remedy="Allow it with --allow-network, or network=True in Python.",
        )
    if isinstance(error, ssl.SSLCertVerificationError):
        return ChatFailed(
            "refused",
            f"the certificate of {url.netloc} is not trusted ({error.verify_message})",
            remedy="Write the host in base_url as the certificate has it; set a private certificate authority in "
            "SSL_CERT_FILE (for a confined subject: --pass-env SSL_CERT_FILE and --readable with the file).",
        )
    if isinstance(error, ssl.SSLError):
        remedy = f"If it does not use TLS, write http://{url.netloc} in base_url."
        return ChatFailed(
            "unreachable", f"no TLS connection to {url.netloc} ({error.reason or 'no reason'})", remedy=remedy
        )
    if sent:
        remedy = "See its log." if url.scheme == "https" else "See its log; if it uses TLS, write https://."
        return ChatFailed("broken", f"{url.netloc} ended the connection ({_reason(error)})", remedy=remedy)
    return ChatFailed("unreachable", f"no connection to {url.netloc} ({_reason(error)})", remedy=_reaching(error))


def _reaching(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "Nothing listens there: start the server, or correct host and port in base_url."
    if isinstance(error, socket.gaierror):
        return "Check the name of the host in base_url, and the name resolution of this machine."
    if isinstance(error, OSError) and error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
        return "This machine cannot reach the host: check its network and base_url."
    return "Check base_url and the network."


def _may_use_network() -> bool:
    """Whether a socket can be opened: a confined process without network cannot, and looking a name up hides that."""
    try:
        socket.socket().close()
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def _reason(error: Exception) -> str:
    """The kind of trouble and the system's words for it, never what a server sent."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, http.client.HTTPException):
        return error.strerror
    return type(error).__name__

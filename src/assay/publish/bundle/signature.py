"""Signatures with SSH keys, made and checked by ssh-keygen, offline."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.publish.bundle.layout import MANIFEST, NAMESPACE, SIGNATURE

__all__ = ["Signature", "State", "check_signature", "sign"]

State: TypeAlias = Literal["none", "unchecked", "valid", "invalid"]
_SECONDS: Final = 60  # that checking a signature may take


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Whether a bundle is signed, by whom, and what is wrong with it."""

    state: State
    signer: str = ""  # as the list of allowed signers names it, with the key's fingerprint
    fault: str = ""


def sign(manifest: bytes, key: Path) -> bytes:
    """The signature of a manifest by a private key, or by a public one whose private part an agent holds."""
    demand_file(key, remedy="Make a key: ssh-keygen -t ed25519 -f FILE.")
    with tempfile.TemporaryDirectory(prefix="assay-sign-") as draft:
        file = Path(draft) / MANIFEST
        file.write_bytes(manifest)
        process = _ssh_keygen("sign", "-f", str(key), "-n", NAMESPACE, str(file), seconds=None)
        signature = Path(draft) / SIGNATURE
        if process.returncode != 0 or not signature.is_file():
            raise InvalidInput(f"{key}: cannot sign with this key ({_reason(process)}). Give an SSH key: --sign KEY.")
        return signature.read_bytes()


def check_signature(manifest: bytes, signature: bytes | None, signers: Path | None) -> Signature:
    """Whether one of the allowed signers signed exactly these bytes for this purpose; without a list it stays open."""
    if signers is None:
        return Signature(state="none" if signature is None else "unchecked")
    demand_file(signers, remedy="It holds lines such as: alice@example.org ssh-ed25519 AAAA...")
    _program()
    if signature is None:
        return Signature(state="none", fault="the bundle is not signed")
    with tempfile.TemporaryDirectory(prefix="assay-signed-") as draft:
        file = Path(draft) / SIGNATURE
        file.write_bytes(signature)
        listed = _ssh_keygen("find-principals", "-s", str(file), "-f", str(signers))
        names = [line.strip() for line in listed.stdout.decode(errors="replace").splitlines() if line.strip()]
        if listed.returncode != 0 or not names:
            return Signature(
                state="invalid",
                fault=f"its key is not among the signers of {signers}, or it is damaged: {_reason(listed)}",
            )
        name = names[0].split(",")[0]
        process = _ssh_keygen("verify", "-f", str(signers), "-I", name, "-n", NAMESPACE, "-s", str(file), data=manifest)
    if process.returncode != 0:
        return Signature(state="invalid", signer=name, fault=f"it does not fit the manifest: {_reason(process)}")
    key = re.search(rb"with (\S+) key (\S+)", process.stdout)
    return Signature(state="valid", signer=f"{name} ({b' '.join(key.groups()).decode()})" if key else name)


def _program() -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise InvalidInput(
            "signatures need ssh-keygen, which is not installed: install OpenSSH (Debian: apt install openssh-client), "
            "or leave out --sign and --signer."
        )
    return program


def _ssh_keygen(
    action: str, *words: str, data: bytes = b"", seconds: float | None = _SECONDS
) -> subprocess.CompletedProcess[bytes]:
    command = [_program(), "-Y", action, *words]
    try:
        return subprocess.run(command, input=data, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, b"", f"ssh-keygen took more than {seconds:g} s".encode())


def _reason(process: subprocess.CompletedProcess[bytes]) -> str:
    lines = (process.stderr or process.stdout).decode(errors="replace").strip().splitlines()
    return lines[-1].strip()[:200] if lines else f"ssh-keygen ended with {process.returncode}"

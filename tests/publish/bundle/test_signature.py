"""Signatures: made with an SSH key, checked offline against a list of allowed signers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.publish.bundle.conftest import Signed, Study, make_key

from assay.core import InvalidInput
from assay.publish.bundle.signature import check_signature, sign
from assay.publish.bundle.verification import Verification
from assay.publish.bundle.writing import write_bundle

Verify = Callable[..., Verification]


def test_a_signed_bundle_names_its_signer(signed: Signed, verified: Verify) -> None:
    result = verified(signed.bundle, signers=signed.signers, share=0.01)
    assert result.matches
    assert result.signature.signer.startswith("alice@example.org (ED25519 SHA256:")
    assert "is attested by alice@example.org" in result.summary()


def test_without_a_list_of_signers_it_is_said_that_nobody_looked(signed: Signed, verified: Verify) -> None:
    result = verified(signed.bundle, share=0.01)
    assert (result.matches, result.signature.state) == (True, "unchecked")
    assert "it is signed: check by whom with --signer FILE" in result.summary()


def test_an_unsigned_bundle_does_not_match_where_a_signature_is_asked_for(
    study: Study, signed: Signed, verified: Verify
) -> None:
    result = verified(study.bundle, signers=signed.signers, share=0.01)
    assert [difference.kind for difference in result.differences] == ["signature"]
    assert "the bundle is not signed" in result.summary()


def test_a_stranger_is_not_among_the_signers(study: Study, signed: Signed, verified: Verify, tmp_path: Path) -> None:
    make_key(tmp_path / "stranger")
    write_bundle(study.results, tmp_path / "b.zip", key=tmp_path / "stranger")
    result = verified(tmp_path / "b.zip", signers=signed.signers, share=0.01)
    assert (result.matches, result.signature.state) == (False, "invalid")
    assert "its key is not among the signers" in result.summary()


def test_a_signature_counts_for_these_bytes_and_this_purpose_alone(
    signed: Signed, monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = sign(b"manifest", signed.key)
    assert check_signature(b"manifest", signature, signed.signers).state == "valid"
    assert check_signature(b"another", signature, signed.signers).state == "invalid"
    assert check_signature(b"manifest", b"no signature", signed.signers).state == "invalid"
    monkeypatch.setattr("assay.publish.bundle.signature.NAMESPACE", "git")
    assert check_signature(b"manifest", signature, signed.signers).state == "invalid"


def test_the_same_key_gives_the_same_bytes(study: Study, signed: Signed, tmp_path: Path) -> None:
    write_bundle(study.results, tmp_path / "b.zip", key=signed.key)
    assert (tmp_path / "b.zip").read_bytes() == signed.bundle.read_bytes()


def test_wrong_keys_and_a_missing_program_are_named_with_the_remedy(
    study: Study, signed: Signed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match="file not found. Make a key: ssh-keygen -t ed25519"):
        write_bundle(study.results, tmp_path / "b.zip", key=tmp_path / "none")
    (tmp_path / "text").write_text("no key")
    with pytest.raises(InvalidInput, match=r"cannot sign with this key \(.+\)"):
        write_bundle(study.results, tmp_path / "b.zip", key=tmp_path / "text")
    with pytest.raises(InvalidInput, match="file not found. It holds lines such as: alice@example.org"):
        check_signature(b"", None, tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInput, match="signatures need ssh-keygen, which is not installed: install OpenSSH"):
        check_signature(b"", b"", signed.signers)
    with pytest.raises(InvalidInput, match="which is not installed"):
        sign(b"", signed.key)
    assert not (tmp_path / "b.zip").exists()

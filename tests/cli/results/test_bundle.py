"""``assay bundle`` and ``assay verify`` as users meet them, with the workers of this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.publish.bundle.tamperer import forge

from assay.cli.main import cli
from assay.conformal import generate
from assay.harness import RunSpec, run


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    generate(folder / "problems", problems=1, seed=3, calibration=120, test=80)
    spec = RunSpec(track="conformal", subjects=("oracle",), problems=("problems",), folder=folder)
    run(spec, out=folder / "results")
    return folder / "results"


def assay(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words), standalone_mode=False)


def test_a_bundle_is_written_verified_and_found_to_differ_once_it_is_forged(results: Path, tmp_path: Path) -> None:
    bundle, forged = tmp_path / "b.zip", tmp_path / "f.zip"
    files = assay("bundle", str(results), "-o", str(bundle))
    assert files.exception is None
    assert f"wrote {bundle}: 1 records" in files.stderr
    content = json.loads(assay("bundle", str(results), "-o", str(bundle), "--json").stdout)
    assert files.stdout == f"Manifest {content['digest']}\n"
    result = assay("verify", str(bundle), "--workers", "1")
    assert (result.return_value, result.stdout.splitlines()[0]) == (0, f"MATCH: {bundle}")
    forge(bundle, forged, "score", seed=1, consistent=False)
    differs = assay("verify", str(forged), "--json")
    assert differs.return_value == 1
    body = json.loads(differs.stdout)
    assert (body["matches"], body["differences"][0]["place"]) == (False, "1-conformal/records.jsonl")
    assert assay("verify", str(forged), "--quiet").stdout == "DIFFERS\n"


def test_the_front_door_says_the_same(results: Path, tmp_path: Path) -> None:
    import assay as front

    path = front.bundle(results, out=tmp_path / "b.zip")
    assert path == tmp_path / "b.zip"
    with pytest.raises(front.InvalidInput, match="workers"):
        front.verify(path, workers=0)
    with pytest.raises(front.InvalidInput, match="cut off, damaged or something else"):
        front.verify(results / "assay.sqlite")

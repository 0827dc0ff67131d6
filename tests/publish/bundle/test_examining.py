"""What of a bundle may run here, which cells are examined, and records that do not fit the rest of their bundle."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.publish.bundle.conftest import Here, Study
from tests.publish.bundle.tamperer import Forgery

from assay.core import InvalidInput, get_track
from assay.harness import rescore
from assay.publish.bundle.examining import _protection, draw_sample
from assay.publish.bundle.local_track import LocalTrack
from assay.publish.bundle.verification import Verification
from assay.publish.bundle.writing import write_bundle
from assay.report import load

Verify = Callable[..., Verification]
Change = Callable[[Forgery], None]


@pytest.fixture
def forged(study: Study, verified: Verify, tmp_path: Path) -> Callable[[Change], Verification]:
    """What verifying finds of a bundle with a change that everything else was made to fit."""

    def forge(change: Change) -> Verification:
        forgery = Forgery(study.bundle, 0)
        change(forgery)
        forgery.write(tmp_path / "forged.zip", consistent=True)
        return verified(tmp_path / "forged.zip")

    return forge


@pytest.fixture
def own_metric(study: Study, here: Here, tmp_path: Path) -> tuple[Path, Path, Path]:
    """Results that were scored with a metric of the author's, its file, and a file that it writes when it is run."""
    ran, code = tmp_path / "ran", tmp_path / "mine" / "own.py"
    code.parent.mkdir()
    code.write_text(f"open({str(ran)!r}, 'w').close()\n\n\ndef constant(evidence):\n    return 0.25\n")
    results = shutil.copytree(study.results, tmp_path / "results")
    rescore(results, metrics=(f"{code}:constant",), runner=here)
    ran.unlink()
    return results, code, ran


def test_the_authors_metric_is_run_only_when_it_is_trusted(
    own_metric: tuple[Path, Path, Path], verified: Verify, tmp_path: Path
) -> None:
    results, code, ran = own_metric
    archive = write_bundle(results, tmp_path / "b.zip", metrics=[f"{code}:constant"])
    assert (archive.notices, ran.exists()) == ((), False)
    careful = verified(tmp_path / "b.zip")
    assert careful.matches
    assert not ran.exists()
    assert "constant was not checked, a metric of the author's own: read its code in metrics/" in careful.summary()
    trusting = verified(tmp_path / "b.zip", trust_metrics=True)
    assert (trusting.matches, trusting.notes, ran.exists()) == (True, (), True)


def test_a_metric_whose_code_is_not_in_the_bundle_is_checked_by_the_reviewers_copy(
    own_metric: tuple[Path, Path, Path], verified: Verify, tmp_path: Path
) -> None:
    results, code, _ = own_metric
    archive = write_bundle(results, tmp_path / "b.zip")
    assert "reviewers cannot check without its code. Put it in: --metric" in archive.notices[0]
    assert "its code is not in the bundle" in verified(tmp_path / "b.zip").summary()
    copy = shutil.copy(code, tmp_path / "copy.py")
    with pytest.raises(InvalidInput, match="the bundle has no score of this code"):
        verified(tmp_path / "b.zip", metrics=[f"{copy}:constant"])  # another name is another digest
    folder = tmp_path / "reviewer"
    folder.mkdir()
    shutil.copy(code, folder / "own.py")
    assert verified(tmp_path / "b.zip", metrics=[f"{folder / 'own.py'}:constant"]).notes == ()


def test_a_forged_score_of_the_authors_metric_is_found_where_it_is_run(
    own_metric: tuple[Path, Path, Path], verified: Verify, tmp_path: Path
) -> None:
    results, code, _ = own_metric
    write_bundle(results, tmp_path / "b.zip", metrics=[f"{code}:constant"])
    forgery = Forgery(tmp_path / "b.zip", 0)
    forgery.records[3]["scores"]["constant"] = 1.0
    forgery.write(tmp_path / "f.zip", consistent=True)
    assert verified(tmp_path / "f.zip").matches
    (difference,) = verified(tmp_path / "f.zip", trust_metrics=True).differences
    assert (difference.kind, difference.name, difference.stored, difference.found) == ("score", "constant", 1.0, 0.25)


def test_code_that_is_not_what_the_records_were_scored_with_is_not_bundled(
    own_metric: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    results, code, _ = own_metric
    code.write_text("def constant(evidence):\n    return 0.5\n")
    with pytest.raises(InvalidInput, match="no record was scored with its code as it is now.*assay rescore"):
        write_bundle(results, tmp_path / "b.zip", metrics=[f"{code}:constant"])


def test_a_bundle_never_says_what_to_import(forged: Callable[[Change], Verification]) -> None:
    def name_a_module(forgery: Forgery) -> None:
        facts = {**forgery.track["metrics"][0], "name": "made", "text": "antigravity:fly"}
        forgery.track["metrics"].append(facts)

    result = forged(name_a_module)
    assert [difference.name for difference in result.differences] == ["made"]


def test_built_in_problems_that_were_left_out_are_written_again(
    study: Study, verified: Verify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "assay.publish.bundle.problems.materialise_builtin"
    monkeypatch.setattr(place, lambda track, out: study.results.parent / "problems")
    slim = write_bundle(study.results, tmp_path / "slim.zip", slim=True)
    assert slim.size < study.bundle.stat().st_size / 2
    result = verified(tmp_path / "slim.zip", share=0.1)
    assert (result.matches, result.examined) == (True, 1)
    monkeypatch.setattr("assay.publish.bundle.problems.digest_folder", lambda folder: "another")
    assert {difference.kind for difference in verified(tmp_path / "slim.zip", share=0.1).differences} == {"problem"}


def test_a_subject_that_is_said_to_know_the_truth_must_give_the_truth(
    forged: Callable[[Change], Verification],
) -> None:
    def privileged(forgery: Forgery) -> None:
        for entry in forgery.track["subjects"]:
            if entry["name"] == "agent":
                entry |= {"kind": "privileged", "target": "oracle", "parameters": {}}

    result = forged(privileged)
    assert {"answer"} <= {difference.kind for difference in result.differences}

    def unknown(forgery: Forgery) -> None:
        for entry in forgery.track["subjects"]:
            if entry["name"] == "agent":
                entry |= {"kind": "privileged", "target": "os", "parameters": {}}

    assert "no such subject that knows the truth" in forged(unknown).summary()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda forgery: forgery.records.append(dict(forgery.records[0])), "a second record of this cell"),
        (lambda forgery: forgery.records[0].update(track="cases"), "track: 'cases' in the bundle, 'conformal' here"),
        (lambda forgery: forgery.records[0].update(seed=9), "seed: 9 in the bundle, 0 here"),
        (
            lambda forgery: forgery.records[0].update(imported="elsewhere"),
            "Bundles hold records that were made by a run",
        ),
        (lambda forgery: forgery.records[0]["settings"].update(significance=0.5), "The manifest says otherwise"),
        (lambda forgery: forgery.records[0]["versions"].update(coverage=7), "The manifest says otherwise"),
        (lambda forgery: forgery.track["problems"].clear(), "The manifest names no such problem"),
        (lambda forgery: forgery.track["subjects"].clear(), "The manifest names no such subject"),
        (lambda forgery: forgery.track["settings"].update(colour="red"), "cannot examine with these settings"),
        (lambda forgery: forgery.track["versions"].update(coverage=9), "coverage: 9 in the bundle, 1 here"),
        (lambda forgery: forgery.files.update({_truth(forgery): b"PK"}), "a problem was changed"),
    ],
)
def test_records_that_do_not_fit_the_rest_are_named(
    forged: Callable[[Change], Verification], change: Change, message: str
) -> None:
    result = forged(change)
    assert not result.matches
    assert message in result.summary()


def _truth(forgery: Forgery) -> str:
    return next(name for name in forgery.files if name.endswith("truth/labels.npz"))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda forgery: forgery.records[0].update(scores=3), "1-conformal/records.jsonl, line 1"),
        (lambda forgery: forgery.records[0].update(subject=["agent"]), "1-conformal/records.jsonl, line 1"),
        (lambda forgery: forgery.answers[0].update(seconds=10**400), "1-conformal/answers.jsonl, line 1"),
        (lambda forgery: forgery.track["subjects"][0].update(name="\ud800"), "holds half a character"),
        (lambda forgery: forgery.answers[1].update(status="perhaps"), "1-conformal/answers.jsonl, line 2"),
        (lambda forgery: forgery.answers[1].update(payload="../x"), "1-conformal/answers.jsonl, line 2"),
        (lambda forgery: forgery.track.update(planned="many"), "manifest.json, track 1"),
        (lambda forgery: forgery.track["problems"][0].update(folder="../.."), "manifest.json, track 1, problems"),
        (lambda forgery: forgery.track["problems"][0].update(folder="problems/none"), "there is no 'problems/none'"),
        (lambda forgery: forgery.track["subjects"][0].pop("kind"), "manifest.json, track 1, subjects"),
        (lambda forgery: forgery.manifest.update(tracks=[]), "'tracks' must be a list of tracks"),
        (lambda forgery: forgery.track.update(code=[{"kind": "pickle"}]), "manifest.json, track 1, code"),
        (lambda forgery: forgery.track.update(name="chess"), "No track named 'chess'"),
    ],
)
def test_parts_that_assay_does_not_write_are_refused_with_their_place(
    study: Study, verified: Verify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Change, place: str
) -> None:
    forgery = Forgery(study.bundle, 0)
    change(forgery)
    monkeypatch.setattr(forgery, "fit", lambda: None)  # a broken record has no key
    forgery.write(tmp_path / "b.zip", consistent=True)
    with pytest.raises(InvalidInput) as caught:
        verified(tmp_path / "b.zip")
    assert place in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'b.zip'}: ")


def test_a_share_is_drawn_by_the_manifest_and_changes_with_it_or_with_a_word(study: Study) -> None:
    records = load(study.results).records
    assert len(draw_sample(records, 0.4, "digest", "")) == 3  # of 6, rounded up
    assert draw_sample(records, 0.2, "digest", "") == draw_sample(list(reversed(records)), 0.2, "digest", "")
    draws = {tuple(sorted(draw_sample(records, 0.2, "digest", word))) for word in "abcdef"}
    assert len(draws) > 3
    assert draw_sample(records, 1.0, "digest", "") == {record.key for record in records}


def test_the_sandbox_is_not_the_authors_to_weaken() -> None:
    known = LocalTrack(SimpleNamespace(name="insight"), get_track("insight"))  # type: ignore[arg-type]
    assert _protection(known, {"sandbox": "weak"}) == {"sandbox": "strong"}
    assert known.stricter
    assert known.notes == ["insight: the setting sandbox='weak' is not taken over; 'strong' it is here"]
    assert _protection(known, {"sandbox": "strong"}) == {}

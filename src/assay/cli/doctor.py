"""``assay doctor``: what works on this machine."""

from __future__ import annotations

from dataclasses import asdict

import click

from assay.cli.shared.options import json_option, print_json

__all__ = ["doctor"]

_PACKAGES = ("click", "jinja2", "numba", "numpy", "pandas", "pyarrow", "rich", "scikit-learn", "scipy", "sympy")
_MARKS = {"ok": "ok", "warning": "note", "broken": "BROKEN"}


@click.command(epilog="Example: assay doctor --json")
@click.option("--attack", is_flag=True, help="Attack the isolation of subjects and functions, mechanism by mechanism.")
@json_option
def doctor(attack: bool, as_json: bool) -> int:
    """Check what works on this machine: isolation, limits, store, extras, versions; each by a real attempt."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    import assay
    from assay.core import get_track, track_names
    from assay.core.files.extras import extras, install_hint
    from assay.harness.selftest import Finding, attack_machine, examine_machine

    def find(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    versions = {"assay": assay.__version__, "python": platform.python_version(), "platform": platform.platform()}
    versions |= {package: find(package) or "missing" for package in _PACKAGES}
    findings = []
    for extra, packages in sorted(extras().items()):
        absent = [package for package in packages if find(package) is None]
        text = f"not installed: {install_hint(absent, extra)}" if absent else "installed"
        findings.append(Finding(f"extra {extra}", "warning" if absent else "ok", text))
    names = track_names()
    findings.append(Finding("tracks", "ok" if names else "broken", ", ".join(names) or "none is installed"))
    if names:
        findings += examine_machine(get_track(names[0]))
    if names and attack:
        findings += attack_machine(get_track(names[0]))
    broken = any(finding.verdict == "broken" for finding in findings)
    if as_json:
        print_json({"ok": not broken, "versions": versions, "findings": [asdict(finding) for finding in findings]})
    else:
        for name, text in versions.items():
            click.echo(f"        {name:22} {text}")
        for finding in findings:
            click.echo(f"{_MARKS[finding.verdict]:7} {finding.what:22} {finding.text}")
    return 3 if broken else 0

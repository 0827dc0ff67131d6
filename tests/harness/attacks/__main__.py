"""Run all attempts against this machine: ``python -m tests.harness.attacks [--user 1234] [--only PART]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.harness.attacks.start import Unable, start

parser = argparse.ArgumentParser(prog="python -m tests.harness.attacks", description=__doc__)
parser.add_argument("--user", type=int, help="run as this user, when started as root")
parser.add_argument("--only", default="", help="run the attempts whose name contains this")
parser.add_argument("--folder", type=Path, help="run here and in this process; prints JSON")
parser.add_argument("--verbose", action="store_true", help="also say how each attempt was held")
options = parser.parse_args()

if options.folder is not None:
    from tests.harness.attacks.battle import fight

    sys.stdout.write(json.dumps(vars(fight(options.folder, options.only))))
    sys.exit()

try:
    report = start(user=options.user, only=options.only)
except Unable as reason:
    sys.exit(f"skipped: {reason}")
if options.verbose:
    for name, how in report.outcomes.items():
        sys.stdout.write(f"  {name}: {how}\n")
for finding in report.findings:
    sys.stdout.write(f"FINDING {finding}\n")
sys.stdout.write(f"{report.attempts} attempts in {report.seconds:.1f} s: {len(report.findings)} findings\n")
sys.exit(bool(report.findings))

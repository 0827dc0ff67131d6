"""The files of a paper: written into a new folder, whole or not at all; equal results give equal bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

from assay.charts.drawing import Drawing
from assay.charts.raster import Raster
from assay.core import InvalidInput
from assay.core.files.drafts import new_folder
from assay.harness.metric_facts import IMPORTED
from assay.publish.paper.figures import RANKS_WIDTH, draw_means, draw_ranks, means_height, ranks_height
from assay.publish.paper.latex import bounds, escape, long_table, number, table
from assay.publish.paper.setup import setup_paragraph
from assay.report import Results
from assay.report.page.addresses import unlike
from assay.report.result_set import TrackResults
from assay.report.tables.grid import problem_grid
from assay.report.tables.pairs import Pairs, corrected_p_value, is_sure
from assay.report.tables.standings import Leaderboard
from assay.report.tables.summary import TrackSummary
from assay.report.wording import ARROWS, duration, format_p_value, shown

__all__ = ["write_paper"]

_WIDE = 6  # subjects beside each other in the appendix
_SHORT = 14  # characters of a name above a column
_PAIRS = 40  # comparisons in a table, those of the first places
_REASON = 70  # characters of a reason

_MAIN = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=2.4cm]{geometry}
\usepackage{booktabs,longtable,graphicx}
\begin{document}
"""


def write_paper(results: Results, folder: Path, *, metrics: Sequence[str] = (), pdf: bool = True) -> tuple[Path, ...]:
    """Write tables, figures and the set-up of each track into a new folder; ``paper.tex`` includes them all.

    ``metrics`` are columns beside the headline. Figures are SVG and, unless ``pdf`` is off, PDF, which LaTeX includes.
    """
    if not results.tracks or not any(entry.records for entry in results.tracks):
        raise InvalidInput(f"{results.folder}: has no record yet, so there is nothing to write about.")
    files: dict[str, bytes] = {}
    parts: list[str] = []
    slugs: list[str] = []
    for entry, summary in zip(results.tracks, results.summaries(), strict=True):
        if entry.records:
            plain = re.sub(r"[^A-Za-z0-9]+", "-", entry.track.name).strip("-") or "track"
            slugs.append(unlike(plain, slugs))
            own, body = _track(entry, summary, slugs[-1], metrics, pdf=pdf)
            files |= own
            parts.append(body)
    files["paper.tex"] = (_MAIN + "\n".join(parts) + "\\end{document}\n").encode()
    with new_folder(folder) as draft:
        for name, content in files.items():
            (draft / name).write_bytes(content)
    return tuple(folder / name for name in sorted(files))


def _track(
    entry: TrackResults, summary: TrackSummary, slug: str, metrics: Sequence[str], *, pdf: bool
) -> tuple[dict[str, bytes], str]:
    """The files of one track by name, and what the main file says to include them."""
    for name in metrics:
        entry.metric(name)
    board, pairs = summary.board_of(tuple(metrics)), summary.pairs
    texts = {
        "setup": setup_paragraph(entry, board),
        "leaderboard": _leaderboard(board, slug, imported=entry.track.name.endswith(IMPORTED)),
        "comparisons": _comparisons(pairs, board, slug),
        "failures": _failures(entry, slug),
        "problems": _problems(entry, slug),
    }
    files = {f"{slug}-{name}.tex": text.encode() for name, text in texts.items() if text}
    figures: dict[str, tuple[Callable[[Drawing], Drawing], float]] = {
        "ranks": (lambda drawing: draw_ranks(drawing, board, pairs), ranks_height(board, pairs)),
        "means": (lambda drawing: draw_means(drawing, board), means_height(board)),
    }
    for name, (draw, height) in figures.items():
        label = f"{entry.track.name}: {name}"
        files[f"{slug}-{name}.svg"] = draw(Drawing(label, width=RANKS_WIDTH)).svg(height, standalone=True).encode()
        if pdf:
            raster = Raster(label, width=RANKS_WIDTH)
            draw(raster)
            files[f"{slug}-{name}.pdf"] = raster.pdf(height)
    captions = {"ranks": _ranks_caption(board), "means": _means_caption(board)}
    body = [rf"\section{{{escape(entry.track.name)}}}"]
    for name in ("setup", "leaderboard", "ranks", "means", "failures", "comparisons", "problems"):
        if name in captions:
            body.append(_figure(slug, name, captions[name]) if pdf else f"% {slug}-{name}.svg")
        elif texts[name]:
            if r"\begin{longtable}" in texts[name]:
                body.append(r"\clearpage")  # floats and long tables do not share a page well
            body.append(rf"\input{{{slug}-{name}}}")
    return files, "\n".join([*body, ""])


def _figure(slug: str, name: str, caption: str) -> str:
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{{slug}-{name}.pdf}}",
            rf"\caption{{{caption}}}",
            rf"\label{{fig:{slug}-{name}}}",
            r"\end{figure}",
        ]
    )


def _ranks_caption(board: Leaderboard) -> str:
    how = (
        "by bets that hold at any time of stopping"
        if board.stopped
        else "by paired sign-flip tests (level 0.05, Holm over all pairs)"
    )
    return (
        f"Mean ranks by {escape(board.headline)} (1 is best). A bar joins subjects of which no two can be told apart "
        f"{how}; unlike a critical difference of ranks, it rests on the scores themselves."
    )


def _means_caption(board: Leaderboard) -> str:
    references = ", ".join(row.subject for row in board.rows if row.reference)
    grey = f" Grey: given the truth ({escape(references)})." if references else ""
    return f"Mean {escape(board.headline)} with {100 * board.confidence:g}\\,\\% intervals.{grey}"


def _leaderboard(board: Leaderboard, slug: str, *, imported: bool) -> str:
    """Places, means with intervals, mean ranks, tiers, failures and times; the first tier in bold."""
    columns = [
        board.headline,
        *(column.name for column in (*board.columns, *board.aggregates) if column.name != board.headline),
    ]
    goals = {column.name: ARROWS[column.goal] for column in (*board.columns, *board.aggregates)}
    head = ["", "Subject", *(escape(f"{name} {goals[name]}") for name in columns)]
    head.insert(3, f"{100 * board.confidence:g}\\,\\% interval")
    head += ["Rank", "Tier", *([] if imported else ["Failed", "Time"])]
    rows = []
    for row in board.rows:
        name = escape(row.subject)
        means = [number(row.mean(column).value) for column in columns]
        means.insert(1, bounds(row.mean(board.headline)))
        title = rf"\textbf{{{name}}}" if row.tier == 1 else rf"\textit{{{name}}}" if row.reference else name
        tier = "ref." if row.tier is None else str(row.tier)
        spent = [] if imported else [f"{row.failed}/{row.cells}", escape(duration(row.median_seconds))]
        rows.append([str(row.place), title, *means, f"{row.mean_rank:.2f}", tier, *spent])
    stopped = f" {escape(board.stopped)}." if board.stopped else ""
    floor, time = ("", "") if imported else (", failures as the floor", ", time the median per answer")
    caption = (
        f"Mean {escape(board.headline)} over problems{floor}. Subjects of one tier cannot be told apart from its "
        f"first; the first tier is bold. Rank is the mean rank{time}.{stopped}"
    )
    return table("rl" + "r" * (len(head) - 2), head, rows, caption=caption, label=f"tab:{slug}-leaderboard")


def _comparisons(pairs: Pairs, board: Leaderboard, slug: str) -> str:
    """Differences of contenders, those of the first places first; unlikely chance in bold."""
    contenders = {row.subject for row in board.contenders}
    chosen = [pair for pair in pairs.ordered if pair.a in contenders and pair.b in contenders]
    if not chosen:
        return ""
    rows = []
    for pair in chosen[:_PAIRS]:
        p_value = escape(corrected_p_value(pair) if not pair.anytime else format_p_value(pair.adjusted_p_value))
        chance = rf"\textbf{{{p_value}}}" if is_sure(pair) else p_value
        counts = f"{pair.wins}/{pair.ties}/{pair.losses}"
        rows.append(
            [escape(pair.a), escape(pair.b), number(pair.difference.value), bounds(pair.difference), counts, chance]
        )
    more = f" The first {len(rows)} of {len(chosen)} pairs, by place." if len(chosen) > len(rows) else ""
    caption = (
        f"Paired differences $a - b$ of {escape(pairs.metric)} with 95\\,\\% intervals, problems won, tied and lost, "
        f"and corrected $p$; below 0.05 in bold.{more}"
    )
    head = ["$a$", "$b$", "$a - b$", r"95\,\% interval", "won/tied/lost", "$p$"]
    write = long_table if len(rows) > 25 else table
    return write("llrrrr", head, rows, caption=caption, label=f"tab:{slug}-comparisons")


def _failures(entry: TrackResults, slug: str) -> str:
    """Who failed, how often and why; empty where nobody did."""
    groups = Counter((record.subject, record.error_kind or record.error or "failed") for record in entry.failed)
    groups.update((cell.subject.name, f"lost: {reason}") for cell, reason in entry.losses)
    if not groups:
        return "" if entry.track.name.endswith(IMPORTED) else "\\noindent No answer failed.\n\n"
    rows = [
        [escape(subject), escape(shown(reason)[:_REASON]), str(count)]
        for (subject, reason), count in sorted(groups.items(), key=lambda item: (-item[1], item[0]))
    ]
    caption = "Answers that failed and cells that were lost, by subject and reason."
    return table("llr", ["Subject", "Reason", "Cells"], rows, caption=caption, label=f"tab:{slug}-failures")


def _problems(entry: TrackResults, slug: str) -> str:
    """The appendix: the headline of every subject on every problem, a few subjects beside each other at a time."""
    grid = problem_grid(entry)
    short = all(len(subject) <= _SHORT for subject in grid.subjects)
    codes = dict(zip(grid.subjects, _letters(len(grid.subjects)), strict=True))
    parts = []
    for start in range(0, len(grid.subjects), _WIDE):
        some = grid.subjects[start : start + _WIDE]
        head = ["Problem", *(escape(subject) if short else codes[subject] for subject in some)]
        rows = [
            [escape(row.problem), *(_cell(cell.value, cell.failed) for cell in row.cells[start : start + _WIDE])]
            for row in grid.rows
        ]
        key = "" if short else " " + _key({codes[subject]: subject for subject in some})
        part = f", part {start // _WIDE + 1}" if len(grid.subjects) > _WIDE else ""
        caption = f"{escape(grid.metric)} by problem{part}; $^*$ with failures, which count as the floor.{key}"
        label = f"tab:{slug}-problems-{start // _WIDE + 1}"
        parts.append(long_table("l" + "r" * len(some), head, rows, caption=caption, label=label))
    return "\n".join(parts)


def _cell(value: float, failed: int) -> str:
    return number(value) + ("$^*$" if failed else "")


def _letters(count: int) -> list[str]:
    return [f"{ascii_uppercase[place % 26]}{place // 26 or ''}" for place in range(count)]


def _key(codes: Mapping[str, str]) -> str:
    return "; ".join(f"{code}: {escape(subject)}" for code, subject in codes.items()) + "."

# SPDX-License-Identifier: BSD-3-Clause
"""What a notebook shows of a run: key figures, failures, and the chart beside the prediction."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

from ._library import encode, ffi, lib, text
from ._schedule import DRAWN

if TYPE_CHECKING:
    from ._run import Run

FAILURES = 20  # failures that the page lists
WHY = 500      # characters of a failure's reason that the page has


def rounded(value: float, digits: int = 6) -> str:
    """Return a number rounded for a reader, as the tools of the library do."""
    buffer = ffi.new("char[]", 32)
    lib.hs_format_rounded(value, digits, buffer)
    return text(buffer)


def picture(run: Run, title: Optional[str], width: float) -> tuple[Any, Any]:
    """Return the hs_picture of a run beside its prediction, and the memory that it refers to."""
    made, kept = run.achieved._picture(title or run.policy, width)
    if not run.guessed:
        made.predicted = run.predicted._handle
    policy = ffi.new("char[]", encode(run.policy))
    made.policy = policy
    report = run.schedule.report if run.schedule is not None else None
    if report and report.bound and run.report["resumed"] + run.report["left_out"] == 0:
        bound = ffi.new("hs_named_bound *")
        bound.name, bound.value = encode(report.bound_name), report.bound
        made.predicted_bound = bound
        kept.append(bound)
    failures = _failures(run, kept)
    made.failures, made.failure_count = failures, len(failures)
    return made, kept + [policy, failures]


def _failures(run: Run, kept: list[Any]) -> Any:
    """Return the failed attempts as an array of C, sorted by worker, then end."""
    why = {(failed.task, failed.number): failed.why for failed in run.failures}
    rows = run.records()
    rows = rows[rows["outcome"] != 0]
    found = []
    for row in rows[rows["end"].argsort(kind="stable")]:
        reason = why.get((run.instance.name(int(row["task"])), int(row["number"])))
        if reason is not None:
            kept.append(ffi.new("char[]", encode(reason)))
            found.append((int(row["worker"]), int(row["task"]), row["end"] / run.second, kept[-1]))
    found.sort(key=lambda failed: failed[0])
    return ffi.new("hs_picture_failure[]", found)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return an HTML table; every text is escaped."""
    def line(kind: str, cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f'<{kind} style="text-align:left">{html.escape(cell)}</{kind}>'
                                for cell in cells) + "</tr>"
    return "<table>" + line("th", heads) + "".join(line("td", row) for row in rows) + "</table>"


def figures(run: Run) -> list[tuple[str, str]]:
    """Return the key figures of a run: names and texts."""
    numbers, unit = run.report, run.instance.unit
    found = [("tasks done", f"{numbers['done']} of {numbers['tasks']}")]
    found += [(name, str(numbers[key])) for name, key in (
        ("tasks failed", "failed"), ("tasks not run", "not_run"), ("done in an earlier run", "resumed"),
        ("attempts spoliated", "aborted"), ("attempts tried again", "retried"),
        ("workers lost", "lost_workers")) if numbers[key]]
    if not run.guessed:
        found.append(("predicted makespan", f"{rounded(run.predicted.makespan)} {unit}"))
    found.append(("achieved makespan", f"{rounded(run.achieved.makespan)} {unit}"))
    if run.ok and not run.guessed and run.predicted.makespan > 0:
        found.append(("achieved / predicted",
                      rounded(run.achieved.makespan / run.predicted.makespan, 4)))
    found.append(("overhead", f"{rounded(1e6 * numbers['overhead'], 3)} us a task"))
    return found


def page(run: Run) -> str:
    """Return the HTML of a run. It has no script and no style sheet, and its texts are escaped."""
    parts = [f"<p><b>{html.escape(run.policy)}</b> on {run.instance.cpus} CPUs and "
             f"{run.instance.gpus} GPUs</p>", _table(("figure", "value"), figures(run))]
    if run.failures:
        parts.append(f"<p>{len(run.failures)} failed attempts"
                     + (f", the first {FAILURES}" if len(run.failures) > FAILURES else "") + "</p>")
        parts.append(_table(("task", "attempt", "reason"), (
            (failed.task, str(failed.number), failed.why[:WHY])
            for failed in run.failures[:FAILURES])))
    if len(run.records()) > DRAWN:
        parts.append(f"<p>More than {DRAWN} attempts: gantt() draws them.</p>")
    elif len(run.records()):
        drawn = run.gantt()
        assert drawn is not None
        image = base64.b64encode(drawn.svg.encode()).decode()
        parts.append('<img alt="Gantt chart of the run" style="max-width:100%" '
                     f'src="data:image/svg+xml;base64,{image}">')
    return "<div>" + "".join(parts) + "</div>"

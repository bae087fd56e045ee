"""The report as the tables of a model card, and its place in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memskill.match.measures import Estimate
from memskill.models.folders import CARD
from memskill.sources.atomic import write_atomic
from memskill.train.card import Table, table_lines
from memskill.train.report import Row

_BEGIN, _END = "<!-- mem model eval -->", "<!-- end of mem model eval -->"


def report_tables(rows: Sequence[Row]) -> Mapping[str, Table]:
    """Return caption -> (columns, rows) of all that was measured; empty tables are left out."""
    plain = [row for row in rows if not row.against]
    by_kind = [row for row in plain if row.view.startswith("order:")]
    found: dict[str, Table] = {
        "Order: recall at 1, 3, 20": _wide(plain, "order", ["recall@1", "recall@3", "recall@20"]),
        "Order by kind of task: recall at 1": _wide(
            by_kind, None, sorted({row.view for row in by_kind}), key=lambda row: row.view
        ),
        "Graded lists: the first answer is right, one of three is": _wide(
            plain, "graded", ["recall@1", "recall@3"]
        ),
        "Decision: AUROC, and what passes the floor that keeps 90 / 80 % of the right skills":
            _decision(plain),
        "Paired differences": _paired([row for row in rows if row.against]),
        "The field that carries a match; the probability": _wide(
            [row for row in plain if row.measure in ("matched_on", "ece", "equal at 4 places")],
            None,
            ["matched_on", "ece", "equal at 4 places"],
        ),
    }  # fmt: skip
    return {caption: table for caption, table in found.items() if table[1]}


def markdown(rows: Sequence[Row]) -> str:
    """Return the tables as Markdown, one heading a table."""
    return "\n".join(
        line
        for caption, table in report_tables(rows).items()
        for line in table_lines(caption, table)
    )


def put_into_card(folder: Path, rows: Sequence[Row], title: str) -> None:
    """Write the tables into a model's card, in the place of those of an earlier evaluation."""
    path = folder / CARD
    old = path.read_text(encoding="utf-8") if path.is_file() else f"# {folder.name}\n"
    before, _, rest = old.partition(_BEGIN)
    after = rest.partition(_END)[2]
    parts = [before.rstrip(), "", _BEGIN, "", f"# {title}", "", markdown(rows).rstrip(), "", _END]
    write_atomic(path, ("\n".join(parts) + (after or "\n")).encode())


def shown(one: Estimate) -> str:
    """Return an estimate with its interval, to three places; "-" where there is nothing."""
    if one.value is None:
        return "-"
    if one.low is None or one.high is None:
        return f"{one.value:.3f}"
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _wide(
    rows: Sequence[Row],
    view: str | None,
    measures: Sequence[str],
    *,
    key: Callable[[Row], str] = lambda row: row.measure,
) -> Table:
    """Return a row a suite and system, a column a measure; `key` names a row's column."""
    cells: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if (view is None or row.view == view) and key(row) in measures:
            cells.setdefault((row.suite, row.system), {})[key(row)] = row
    heads = ["tasks from", "system", "n", *[m.removeprefix("order:") for m in measures]]
    return heads, [
        [suite, system, max(row.estimate.count for row in found.values()),
         *[shown(found[m].estimate) if m in found else "" for m in measures]]
        for (suite, system), found in cells.items()
    ]  # fmt: skip


def _decision(rows: Sequence[Row]) -> Table:
    cells: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in rows:
        if row.view == "decision":
            measure, _, kind = row.measure.partition(":")
            cells.setdefault((row.suite, kind, row.system), {})[measure] = row
    measures = ("auroc", "fires@90", "fires@80")
    heads = ["tasks from", "kind", "system", "n", "AUROC", "fires, 90 % kept", "fires, 80 % kept"]
    return heads, [
        [*key, max(row.estimate.count for row in found.values()),
         *[shown(found[m].estimate) if m in found else "" for m in measures]]
        for key, found in sorted(cells.items(), key=lambda item: item[0][:2])
    ]  # fmt: skip


def _paired(rows: Sequence[Row]) -> Table:
    return ["tasks from", "view", "measure", "difference", "95 % interval"], [
        [row.suite, row.view, row.measure, f"{row.system} minus {row.against}", shown(row.estimate)]
        for row in rows
    ]

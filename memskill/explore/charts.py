"""The charts: evidence of a match, orders, a map of skills, curves of a floor, sure lessons."""

from __future__ import annotations

from collections.abc import Sequence

from memskill.explore.chart import Chart, Spec, amount, chart, layer, named, number
from memskill.explore.quality import Placed
from memskill.match.abstention import AbstentionPoint
from memskill.match.cases import Case
from memskill.match.measures import Bin
from memskill.records import Candidate, Lesson

_EVIDENCE = ("cosine", "clause", "lexical", "negative")
_GREY = "#888"


def evidence_chart(candidates: Sequence[Candidate], floor: float) -> Chart:
    """Return each candidate's score and evidence as bars, with the floor as a line."""
    kinds = ("score", *_EVIDENCE)
    rows: list[dict[str, object]] = [
        {"name": one.name, "evidence": kind, "value": getattr(one, kind), "floor": floor}
        for one in candidates
        for kind in kinds
    ]
    said = "value; the broken line is the floor of the score"
    y = named("name", " ", [one.name for one in candidates])
    bars = layer(
        "bar",
        y=y,
        yOffset=named("evidence", "", kinds),
        x=number("value", said),
        color=named("evidence", " ", kinds),
    )
    rule = layer({"type": "rule", "color": _GREY, "strokeDash": [4, 3]}, x=number("floor", said))
    height = 60 * len(candidates)
    return chart("What each candidate's score rests on", rows, bars, rule, width=300, height=height)


def orders_chart(shortlist: Sequence[Case], rerank: Sequence[Case]) -> Chart:
    """Return where the right skill of each task stands before and after reranking, as counts."""
    counts: dict[tuple[str, str], int] = {}
    for before, after in zip(shortlist, rerank, strict=True):
        if before.task.expected:
            key = _place(before), _place(after)
            counts[key] = counts.get(key, 0) + 1
    rows = [
        {"shortlist": one, "rerank": other, "tasks": number_of}
        for (one, other), number_of in sorted(counts.items())
    ]
    places = ["1", "2", "3", "later", "absent"]
    always: Spec = {"scale": {"domain": places}, "axis": {"labelAngle": 0}}
    x = named("shortlist", "by the shortlist", places) | always
    y = named("rerank", "by the reranker", places) | always
    # Light enough for the figures on top.
    shade = {"scale": {"scheme": {"name": "blues", "extent": [0.1, 0.6]}}, "legend": None}
    squares = layer("rect", x=x, y=y, color=amount("tasks") | shade)
    figures = layer("text", x=x, y=y, text=amount("tasks"))
    return chart("Place of the right skill", rows, squares, figures, width=260, height=200)


def _place(case: Case) -> str:
    names = [one.name for one in case.decision.candidates]
    place = min((names.index(n) + 1 for n in case.task.expected if n in names), default=0)
    return "absent" if not place else str(place) if place <= 3 else "later"


def map_chart(places: Sequence[Placed]) -> Chart:
    """Return the map of the catalogue; its axes have no meaning but nearness."""
    rows = [
        {"name": one.name, "x": one.x, "y": one.y, "label": label}
        for one, label in zip(places, _label_heights(places), strict=True)
    ]
    # Room at the edges for the names.
    scale = {"zero": False, "padding": 60}
    x, y, label = ({**amount(axis), "axis": None, "scale": scale} for axis in ("x", "y", "label"))
    dots = layer({"type": "point", "filled": True, "size": 60}, x=x, y=y)
    name: Spec = {"field": "name", "type": "nominal"}
    words = layer({"type": "text", "fontSize": 10}, x=x, y=label, text=name)
    return chart("Promoted skills by meaning", rows, dots, words, width=460, height=260)


def _label_heights(places: Sequence[Placed]) -> list[float]:
    """Return a height for each name, near its dot, so that no two names cover each other."""
    across, up = (
        max((getattr(one, axis) for one in places), default=0.0)
        - min((getattr(one, axis) for one in places), default=0.0)
        for axis in ("x", "y")
    )
    # A letter is about 5.5 of 340 inner pixels wide, a line 12 of 140 high.
    letter, line = across * 5.5 / 340, up * 12 / 140
    taken: list[tuple[float, float, float]] = []
    for one in places:
        half = len(one.name) * letter / 2
        for step in (1, -1.2, 2, -2.2, 3, -3.2, 4):
            height = one.y + step * line * 0.8
            if all(abs(one.x - x) >= half + h or abs(height - y) >= line for x, y, h in taken):
                break
        taken.append((one.x, height, half))
    return [height for _, height, _ in taken]


def curve_chart(curve: Sequence[AbstentionPoint], floor: float | None) -> Chart:
    """Return recall, precision and false fires over every possible floor, and the chosen one."""
    shares = ("recall", "precision", "false_fire")
    rows: list[dict[str, object]] = [
        {"floor": point.floor, "share": getattr(point, share), "of": share, "chosen": floor}
        for point in curve
        for share in shares
        if getattr(point, share) is not None
    ]
    lines = layer(
        {"type": "line", "interpolate": "step-after"},
        x=number("floor", "floor; the broken line is the chosen one", unit=True),
        y=number("share", "share", unit=True),
        color=named("of", "", shares),
    )
    chosen = layer(
        {"type": "rule", "color": _GREY, "strokeDash": [4, 3]},
        x=number("chosen", "floor; the broken line is the chosen one", unit=True),
    )
    layers = [lines] if floor is None else [lines, chosen]
    return chart("What each floor would do", rows, *layers, height=220)


def reliability_chart(bins: Sequence[Bin]) -> Chart:
    """Return how often first answers of each score are right; the diagonal is a perfect score."""
    rows: list[dict[str, object]] = [
        {"score": one.score, "right": one.right, "answers": one.count, "ideal": one.score}
        for one in bins
    ]
    x = number("score", "mean score", unit=True)
    share = "share that is right"
    measured = layer(
        {"type": "point", "filled": True},
        x=x,
        y=number("right", share, unit=True),
        size=amount("answers"),
    )
    ideal = layer({"type": "line", "color": _GREY}, x=x, y=number("ideal", share, unit=True))
    return chart("Whether a score means what it says", rows, ideal, measured, height=220)


def confidence_chart(lessons: Sequence[Lesson], days: Sequence[tuple[str, str, float]]) -> Chart:
    """Return how sure each lesson was after each day, a line each.

    Args:
        lessons: Those to show.
        days: (lesson id, day, confidence), in order of the days.
    """
    # The project and a piece of the id tell two lessons of one command apart.
    names = {
        one.id: f"{one.tool} {one.subcommand}".strip() + f" ({one.scope or one.id[:4]})"
        for one in lessons
    }
    rows: list[dict[str, object]] = [
        {"day": day, "confidence": sure, "lesson": names[one]}
        for one, day, sure in days
        if one in names
    ]
    lines = layer(
        {"type": "line", "point": True},
        x={"field": "day", "type": "temporal", "title": "day (UTC)"},
        y=number("confidence", "confidence", unit=True),
        color=named("lesson", " ", list(dict.fromkeys(names.values()))),
    )
    return chart("How sure each lesson was", rows, lines, height=220)

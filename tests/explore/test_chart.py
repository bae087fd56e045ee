"""Charts: plain Vega-Lite with a picture."""

from __future__ import annotations

import base64
import itertools
import json
import zlib

import pytest

from memskill.errors import ExtraMissing
from memskill.explore import chart as module
from memskill.explore.charts import (
    curve_chart,
    evidence_chart,
    map_chart,
    orders_chart,
    reliability_chart,
)
from memskill.explore.quality import Placed
from memskill.match.abstention import AbstentionPoint
from memskill.match.measures import Bin

POINT = AbstentionPoint(floor=0.123456, answered=1.0, recall=0.5, precision=None, false_fire=0.25)
PLACE = Placed(name="<b>a</b>", x=0.1, y=-0.2, nearest="b", cosine=0.3)


def test_numbers_are_rounded_so_that_every_processor_draws_the_same():
    values = curve_chart([POINT], 0.4242).spec["data"]["values"]
    assert values[0] == {"floor": 0.12, "share": 0.5, "of": "recall", "chosen": 0.42}


def test_what_is_unknown_is_not_drawn():
    values = curve_chart([POINT], None).spec["data"]["values"]
    assert [row["of"] for row in values] == ["recall", "false_fire"]


def test_without_a_floor_no_line_is_drawn():
    marks = [layer["mark"]["type"] for layer in curve_chart([POINT], None).spec["layer"]]
    assert marks == ["line"]


def test_a_chart_asks_for_nothing_from_outside():
    for made in (map_chart([PLACE]), curve_chart([POINT], 0.5), reliability_chart([])):
        spec = dict(made.spec)
        assert spec.pop("$schema").startswith("https://vega.github.io/schema/")
        assert "http" not in json.dumps(spec)
        assert "url" not in json.dumps(spec)


def test_equal_charts_are_equal_bytes():
    pytest.importorskip("vl_convert")
    first = map_chart([PLACE]).png()
    module._picture.cache_clear()
    assert first == map_chart([PLACE]).png()


def test_the_picture_is_a_small_png():
    pytest.importorskip("vl_convert")
    picture = map_chart([PLACE]).png()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert picture.endswith(b"IEND\xaeB`\x82")
    assert len(picture) < 30_000


def _pixels(png):
    data, at = b"", 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    return zlib.decompress(data)


def test_repacking_keeps_every_pixel():
    vl_convert = pytest.importorskip("vl_convert")
    drawn = vl_convert.vegalite_to_png(json.dumps(dict(map_chart([PLACE]).spec)), vl_version="5.20")
    packed = module._repacked(drawn)
    assert _pixels(packed) == _pixels(drawn)
    assert packed[:33] == drawn[:33]
    assert len(packed) < len(drawn)


def test_a_notebook_gets_specification_picture_and_line():
    pytest.importorskip("vl_convert")
    made = map_chart([PLACE])
    bundle = made._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v5+json"] == made.spec
    assert base64.b64decode(bundle["image/png"]) == made.png()
    assert bundle["text/plain"] == "chart: Promoted skills by meaning (1 marks)"


def test_without_vl_convert_there_is_no_picture_and_no_error(monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    module._picture.cache_clear()
    assert "image/png" not in map_chart([PLACE])._repr_mimebundle_()
    module._picture.cache_clear()


def test_without_altair_the_install_line_is_told(monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ExtraMissing) as caught:
        map_chart([PLACE]).altair()
    assert caught.value.hint == "pip install 'memskill[notebooks]'"


@pytest.mark.parametrize(
    "made",
    [
        map_chart([PLACE]),
        curve_chart([POINT], 0.5),
        reliability_chart([]),
        evidence_chart([], 0.5),
        orders_chart([], []),
    ],
    ids=lambda made: made.title,
)
def test_a_chart_is_valid_vega_lite_and_goes_on_in_altair(made):
    pytest.importorskip("altair")
    assert made.altair().to_dict()["layer"]


def test_reliability_counts_its_answers():
    bins = [Bin(low=0.5, high=0.6, count=3, score=0.55, right=1.0)]
    assert reliability_chart(bins).spec["data"]["values"] == [
        {"score": 0.55, "right": 1.0, "answers": 3, "ideal": 0.55}
    ]


def test_no_candidate_gives_an_empty_chart():
    assert evidence_chart([], 0.5).rows == 0


def test_names_on_the_map_do_not_cover_each_other():
    near = [
        Placed(name=f"skill-number-{n}", x=n / 100, y=n / 200, nearest="", cosine=0.0)
        for n in range(4)
    ]
    far = [Placed(name="far-away", x=2.0, y=2.0, nearest="", cosine=0.0)]
    values = map_chart([*near, *far]).spec["data"]["values"]
    heights = sorted(row["label"] for row in values)
    assert all(b - a >= 2.0 * 12 / 140 - 0.02 for a, b in itertools.pairwise(heights))

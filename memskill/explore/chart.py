"""A chart: a Vega-Lite specification with its data, and a picture of it for where none is drawn."""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.errors import ExtraMissing

if TYPE_CHECKING:
    import altair

# What JupyterLab, VS Code and GitHub know; the picture is for the last.
_MIME = "application/vnd.vegalite.v5+json"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_VERSION = "5.20"
Spec = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart that shows itself; `spec` is plain Vega-Lite, `altair()` goes on from there."""

    title: str
    spec: Mapping[str, object]
    rows: int

    def altair(self) -> altair.TopLevelMixin:
        """Return the chart as an Altair chart, to be changed.

        Raises:
            ExtraMissing: Altair is not installed.
        """
        if not importlib.util.find_spec("altair"):
            raise ExtraMissing("altair is not installed", hint="pip install 'memskill[notebooks]'")
        import altair

        return altair.Chart.from_dict(dict(self.spec))

    def png(self) -> bytes | None:
        """Return a picture, made without browser and network; None without vl-convert."""
        return _picture(json.dumps(self.spec, sort_keys=True))

    def __repr__(self) -> str:
        return f"chart: {self.title} ({self.rows} marks)"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        bundle: dict[str, object] = {_MIME: dict(self.spec), "text/plain": repr(self)}
        if picture := self.png():
            bundle["image/png"] = base64.b64encode(picture).decode()
        return bundle


def chart(
    title: str, rows: Sequence[Mapping[str, object]], *layers: Spec, width: int = 460, height: int
) -> Chart:
    """Return a chart of `rows`, which all layers share; numbers are rounded to 2 places.

    Rounding keeps the specification the same on every class of processor.
    """
    spec: Spec = {
        "$schema": _SCHEMA,
        "title": title,
        "width": width,
        "height": height,
        "data": {"values": [{k: _rounded(v) for k, v in row.items()} for row in rows]},
        "layer": list(layers),
    }
    return Chart(title=title, spec=spec, rows=len(rows))


def layer(mark: Spec | str, **encoding: Spec) -> Spec:
    """Return one layer: a mark and its channels."""
    return {"mark": mark, "encoding": dict(encoding)}


def number(field: str, title: str = "", *, unit: bool = False) -> Spec:
    """Return the channel of a number along an axis; `unit` fixes it to 0..1."""
    scale: Spec = {"domain": [0, 1]} if unit else {"zero": True}
    return {
        "field": field, "type": "quantitative", "title": title or field,
        "scale": scale, "axis": {"tickCount": 5},
    }  # fmt: skip


def amount(field: str) -> Spec:
    """Return the channel of a number that is told by colour, size or as text."""
    return {"field": field, "type": "quantitative"}


def named(field: str, title: str = "", sort: Sequence[str] | None = None) -> Spec:
    """Return the channel of a name, in the given order or that of the rows."""
    return {
        "field": field, "type": "nominal", "title": title or field,
        "sort": list(sort) if sort else None,
    }  # fmt: skip


def _rounded(value: object) -> object:
    return round(value, 2) + 0.0 if isinstance(value, float) else value


@functools.lru_cache(maxsize=64)
def _picture(spec: str) -> bytes | None:
    if not importlib.util.find_spec("vl_convert"):
        return None
    import vl_convert

    return _repacked(vl_convert.vegalite_to_png(spec, vl_version=_VERSION, scale=1.0))


def _repacked(png: bytes) -> bytes:
    """Return a PNG with its pixels packed as tightly as zlib can: a fifth of what was drawn.

    Notebooks keep their pictures, and go through reviews.
    """
    chunks: list[tuple[bytes, bytes]] = []
    at = 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += 12 + size
    pixels = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    kept = [(kind, data) for kind, data in chunks if kind not in (b"IDAT", b"IEND")]
    made = [*kept, (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    return png[:8] + b"".join(map(_chunk, *zip(*made, strict=True)))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

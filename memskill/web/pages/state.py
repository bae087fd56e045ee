"""What the page remembers between requests: rendered bodies and vectors of drafts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flask import Flask, current_app
from markupsafe import Markup

from memskill.pipeline.memo import Memo

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_EXTENSION = "memskill.pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageState:
    """Caches that only save time: an entry is named by the sha of what it was made from."""

    bodies: Memo[Markup] = field(default_factory=lambda: Memo[Markup](64))
    vectors: Memo[npt.NDArray[np.float32]] = field(
        default_factory=lambda: Memo["npt.NDArray[np.float32]"](4096)
    )


def install(app: Flask) -> None:
    """Give `app` caches of its own."""
    app.extensions[_EXTENSION] = PageState()


def page_state() -> PageState:
    """Return the caches of the app that handles the current request."""
    found: PageState = current_app.extensions[_EXTENSION]
    return found

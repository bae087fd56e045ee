"""The measure itself: what the other tests call harmless is told from what is not."""

from __future__ import annotations

import pytest
from helpers.pages import dangers

BAD = [
    "<script>alert(1)</script>",
    '<script src="https://evil.example/x.js"></script>',
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="//evil.example">x</a>',
    '<img src="https://evil.example/p.png">',
    '<form action="https://evil.example"></form>',
    '<p style="position:fixed">x</p>',
    "<iframe></iframe>",
    "<style>*{}</style>",
    '<base href="/x">',
]
GOOD = [
    "&lt;script&gt;",
    '<a href="/skills/x">x</a>',
    '<a href="https://example.com">x</a>',
    '<script src="/assets/page.js?v=1"></script>',
]


@pytest.mark.parametrize("html", BAD)
def test_what_could_act_is_found(html):
    assert dangers(html) != []


@pytest.mark.parametrize("html", GOOD)
def test_what_cannot_act_is_not(html):
    assert dangers(html) == []

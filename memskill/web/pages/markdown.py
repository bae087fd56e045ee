"""A skill's Markdown as HTML that can do nothing."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from memskill.web.pages.shown import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Beyond these a text is shown as it stands: the time to parse one and the size of what comes of
# it then stay small. Of real skills hardly one comes near.
MAX_CHARS = 60_000
MAX_MARKS = 8_000
MAX_PIPES_A_LINE = 100
MAX_LINK_CHARS = 200_000
_MARKS = re.compile(r"[\[\]*_<&|`\\]")
_WEB = re.compile(r"(?:https?|mailto):", re.I)
_TAGS = {
    *("h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br"),
    *("strong", "em", "s", "a", "span", "div", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "span": {"class", "title"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "ol": {"start"},
}


def render_markdown(text: str) -> Markup:
    """Return a body as sanitised HTML, or as plain text where it is no sane Markdown.

    Raw HTML is shown, not interpreted. Images become their text: nothing is fetched. Only http,
    https and mailto links can be followed. Headings start at level 2 or 3 and leave no level out.
    """
    text = visible(text)
    if not _is_sane(text):
        return _plain(text)
    md = _parser()
    tokens = md.parse(text)
    # A definition that is used a thousand times weighs nothing until it is written out.
    if sum(_link_chars(token) for token in tokens) > MAX_LINK_CHARS:
        return _plain(text)
    return Markup(_sanitised(md.renderer.render(_tamed(tokens), md.options, {})))


def _is_sane(text: str) -> bool:
    return (
        len(text) <= MAX_CHARS
        and sum(1 for _ in _MARKS.finditer(text)) <= MAX_MARKS
        and all(line.count("|") <= MAX_PIPES_A_LINE for line in text.split("\n"))
    )


def _plain(text: str) -> Markup:
    return Markup('<pre class="plain">{}</pre>').format(text)


def _link_chars(token: Token) -> int:
    children = token.children or []
    return sum(len(str(value)) for child in children for value in child.attrs.values())


def _tamed(tokens: Sequence[Token]) -> Sequence[Token]:
    """Change tokens in place: headings under that of the page, links that lead nowhere to text."""
    level = 2
    for token in tokens:
        if token.type == "heading_open":
            level = min(int(token.tag[1:]) + 1, level + 1, 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{level}"
        _unlink(token.children or [])
    return tokens


def _unlink(children: Sequence[Token]) -> None:
    leads = True
    for child in children:
        if child.type == "link_open":
            href = str(child.attrs.get("href", ""))
            leads = bool(_WEB.match(href))
            if not leads:
                child.attrs = {"class": "path", "title": href}
        if child.type in ("link_open", "link_close") and not leads:
            child.tag = "span"


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    md = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    rules = md.renderer.rules  # type: ignore[attr-defined]
    rules["image"] = _image
    rules["table_open"] = _table_open
    rules["table_close"] = _table_close
    return md


def _image(tokens: Sequence[Token], at: int, *_: object) -> str:
    source = html.escape(str(tokens[at].attrs.get("src", "")))
    return f'<span class="path" title="{source}">image: {html.escape(tokens[at].content)}</span>'


def _table_open(*_: object) -> str:
    # What scrolls must be reachable by keyboard.
    return '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>'


def _table_close(*_: object) -> str:
    return "</table></div>"


def _sanitised(rendered: str) -> str:
    import nh3

    return nh3.clean(
        rendered,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )

"""What is looked for in a page: its elements, and whether any of them could do harm."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from memskill.config import Settings

# Of our own templates and of what Markdown becomes; nothing else may ever come out.
KNOWN_TAGS = {
    *("html", "head", "meta", "title", "link", "script", "body", "a", "header", "div", "img"),
    *("nav", "ul", "ol", "li", "main", "h1", "h2", "h3", "h4", "h5", "h6", "p", "footer", "code"),
    *("pre", "form", "label", "input", "select", "option", "button", "textarea", "output"),
    *("section", "details", "summary", "span", "small", "b", "em", "strong", "s", "blockquote"),
    *("hr", "br", "dl", "dt", "dd", "svg", "rect", "line"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class Page(HTMLParser):
    """Collects start tags with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(str(html))  # not Markup, whose parts would escape themselves
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of each element of one kind."""
        return [attributes for name, attributes in self.tags if name == tag]

    def has(self, tag: str, **attributes: str) -> bool:
        """Tell whether an element of this kind has these attributes."""
        return any(attributes.items() <= found.items() for found in self.all(tag))


def dangers(html: str) -> list[str]:
    """Return what could run, load, frame or restyle anything: none in a good page."""
    page = Page(html)
    found = [f"<{tag}>" for tag, _ in page.tags if tag not in KNOWN_TAGS]
    for tag, attributes in page.tags:
        found += [f"{tag} {name}" for name in attributes if name.startswith("on")]
        found += [f"{tag} style" for name in attributes if name in ("style", "srcdoc")]
        for name in ("href", "src", "action", "formaction"):
            url = attributes.get(name, "").strip().lower()
            inner = url.startswith(("/", "#")) and not url.startswith("//")
            followed = tag == "a" and url.startswith(("http:", "https:", "mailto:"))
            if url and not inner and not followed:
                found.append(f"{tag} {name}={url[:60]}")
    scripts = [one for one in page.all("script") if not one.get("src", "").startswith("/assets/")]
    return found + ["inline script"] * len(scripts)


def put(settings: Settings, path: str, text: str) -> Path:
    """Write a file of the vault and return where it lies."""
    file = settings.vault / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file

"""A body becomes HTML that can do nothing, in little time, whatever it is."""

from __future__ import annotations

import time

import pytest
from helpers.pages import Page, dangers
from hypothesis import given
from hypothesis import strategies as st

from memskill.web.pages.markdown import MAX_CHARS, render_markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#x6A;avascript:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x)",
    "[a](//evil.example)",
    "[a](/memory/skills)",
    "<javascript:alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    '[a](https://ok.example "\\" onmouseover=alert(1)")',
    "[r]: javascript:alert(1)\n\n[r]",
    '```"><script>alert(1)</script>\nx\n```',
    "<svg><style>@import 'https://evil.example'</style></svg>",
    "<iframe srcdoc='<script>1</script>'></iframe>",
    "<base href=https://evil.example>",
    "<form action=https://evil.example><input>",
    "| a |\n|---|\n| <script>1</script> |",
    "<!-- --><b>",
    "<?php ?>",
    "&lt;script&gt;",
]
BOMBS = {
    "brackets": "[" * 50_000,
    "images": "![" * 25_000,
    "quotes": ">" * 50_000,
    "emphasis": "*a" * 25_000,
    "links": "[a](b" * 10_000,
    "table": "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|x\n" * 8_000,
    "references": "[a]: http://x/" + "y" * 30_000 + "\n\n" + "[a]" * 2_000,
    "lists": "\n".join("  " * depth + "- a" for depth in range(300)),
    "numbers": "1. " * 20_000,
    "lines": "\n" * 3_000_000,
    "huge": "word " * 800_000,
    "entities": "&amp;" * 7_000,
}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_does_nothing(text):
    assert dangers(render_markdown(text)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_no_link_leads_inside_or_to_a_script(text):
    for link in Page(render_markdown(text)).all("a"):
        assert link["href"].startswith(("https://", "http://", "mailto:"))


@given(st.text(alphabet=st.sampled_from("<>[]()!*_`|#-: \n\"'&;=/\\ajsconhref"), max_size=200))
def test_no_text_makes_an_element_that_is_not_allowed(text):
    assert dangers(render_markdown(text)) == []


@given(st.text(max_size=300))
def test_any_text_renders(text):
    assert dangers(render_markdown(text)) == []


@pytest.mark.parametrize("name", sorted(BOMBS))
def test_a_bomb_takes_little_time_and_room(name):
    started = time.process_time()
    shown = render_markdown(BOMBS[name])
    assert time.process_time() - started < 5
    assert len(shown) < 6 * len(BOMBS[name]) + 2_000_000


def test_raw_html_is_shown_as_it_is_written():
    assert "<b>bold</b>" in Page(render_markdown("say <b>bold</b>")).text


def test_headings_stand_below_that_of_the_page_and_leave_no_level_out():
    page = Page(render_markdown("# one\n\n## two\n\n###### deep\n\n# again\n\n- ### listed"))
    assert [tag for tag, _ in page.tags if tag.startswith("h")] == ["h2", "h3", "h4", "h2", "h3"]


def test_steps_code_and_tables_come_out_as_what_they_are():
    text = "3. do\n\n```bash\nls | wc\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    page = Page(render_markdown(text))
    assert page.has("ol", start="3")
    assert page.has("div", role="group", tabindex="0")
    assert "ls | wc" in page.text
    assert len(page.all("td")) == 2


def test_a_link_to_the_web_is_followed_without_a_trace():
    page = Page(render_markdown("[docs](https://example.com/a)"))
    assert page.has("a", href="https://example.com/a", rel="noopener noreferrer nofollow")


def test_a_link_to_a_file_beside_it_is_text_that_names_the_file():
    page = Page(render_markdown("see [the list](references/list.md) and [b](https://b.example)"))
    assert page.has("span", title="references/list.md")
    assert [a["href"] for a in page.all("a")] == ["https://b.example"]


def test_an_image_becomes_its_text():
    page = Page(render_markdown("![a chart](https://example.com/c.png)"))
    assert page.all("img") == []
    assert "image: a chart" in page.text


def test_a_body_beyond_the_bound_is_shown_whole_as_it_stands():
    text = "# x\n" + "a line of text\n" * (MAX_CHARS // 10)
    page = Page(render_markdown(text))
    assert page.has("pre", **{"class": "plain"})
    assert page.text == text


def test_hidden_characters_become_visible():
    assert "⟦U+202E⟧" in render_markdown("a \u202e b")

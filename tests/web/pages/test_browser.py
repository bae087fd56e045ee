"""The page in a real browser: by keyboard alone, without JavaScript, in both colour schemes."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from helpers.browser import TIMEOUT_MS, launched, served
from helpers.pages import put
from helpers.serving import copy_vault, fake_matching
from helpers.vaults import write_note

from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.store import open_store

# The driver's own event loop leaves sockets to the garbage collector.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
TASK = "the pod keeps restarting and never becomes ready"
URLS = [
    "/",
    "/skills/made",
    "/skills/hostile",
    "/match",
    f"/match?task={TASK.replace(' ', '+')}",
    "/drafts",
    "/drafts/rollback-release",
    "/floor",
    "/nowhere",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The URL of a page over a vault with a bit of everything."""
    settings = copy_vault(tmp_path_factory.mktemp("site") / "vault")
    write_note(settings, "p/low", "Evidence.", query="what broke")
    write_note(settings, "p/high", "Synthesis.", level="L2", query="why", parents="p/low")
    ingest(settings, encoder=HashEncoder())
    with open_store(settings) as store:
        sha = store.nodes_at("p", "high")[0].sha
    head = f"---\nname: made\ndescription: Frobs.\ngenerated_from: sha256:{sha}\n---\n"
    table = "\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    put(settings, "skills/made/SKILL.md", f"{head}# Frob\n{table}\n{table}")
    said = json.dumps('Frobs <script>window.hit=1</script> " onfocus=hit=1 {{7*7}}')
    attack = (
        "<img src=x onerror=window.hit=1> [a](javascript:window.hit=1)\n\n###### deep\n\n"
        + "x" * 9_000
    )
    put(settings, "skills/hostile/SKILL.md", f"---\ndescription: {said}\n---\n{attack}\n")
    draft = settings.drafts_dir / "rollback-release"
    shutil.copytree(settings.skills_dir / "rollback-release", draft)
    (draft / "SKILL.md").write_text((draft / "SKILL.md").read_text() + "One more step.\n")
    with served(settings, fake_matching(settings, 0.3)) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture
def open_page(browser, site):
    """Open a URL in a context of its own; whatever the page complains of fails the test."""
    contexts, complaints = [], []

    def opened(url, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("request", lambda r: None if r.url.startswith(site) else complaints.append(r.url))
        page.goto(site + url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [text for text in complaints if "404" not in text] == []


def test_a_task_typed_by_keyboard_alone_reaches_an_answer(open_page):
    page = open_page("/")
    focused = "document.activeElement.textContent + document.activeElement.id"
    page.keyboard.press("Tab")
    assert "Skip to the content" in page.evaluate(focused)
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate(focused) == "Match":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/match")
    assert page.evaluate("document.activeElement.id") == "task"
    page.keyboard.type(TASK)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Match"
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer")
    assert "debug-kubernetes-pods" in page.inner_text("section[aria-labelledby=answer]")


def test_control_enter_asks_from_inside_the_field(open_page):
    page = open_page("/match")
    page.keyboard.type(TASK)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer")


def test_the_floor_moves_by_keyboard_and_says_what_would_change(open_page):
    page = open_page(f"/match?task={TASK.replace(' ', '+')}")
    page.focus("#trial")
    page.keyboard.press("End")
    assert "1.0000: nothing would be returned" in page.inner_text("#trial-told")
    assert page.get_attribute("line.floor >> nth=0", "x1") == "100"
    page.keyboard.press("Home")
    assert "debug-kubernetes-pods" in page.inner_text("#trial-told")
    assert page.locator(".tag.good").count() == 3
    page.keyboard.press("ArrowRight")
    assert float(page.inner_text("#trial-value")) == pytest.approx(0.01, abs=0.005)


def test_without_javascript_the_floor_is_tried_by_a_button(open_page):
    page = open_page(f"/match?task={TASK.replace(' ', '+')}", java_script_enabled=False)
    page.focus("#trial")
    page.keyboard.press("End")
    page.click("text=Try it")
    page.wait_for_url(re.compile("floor=1"))
    assert "nothing would be returned" in page.inner_text("#trial-told")
    assert "debug-kubernetes-pods" in page.inner_text("section[aria-labelledby=answer]")


@pytest.mark.parametrize("url", URLS)
def test_without_javascript_every_page_says_all_it_has_to_say(open_page, url):
    page = open_page(url, java_script_enabled=False)
    assert page.inner_text("h1")
    assert page.locator("button:visible", has_text="Copy").count() == 0


@pytest.mark.parametrize("url", ["/skills/hostile", "/match?task=frobs"])
def test_what_a_skill_says_never_runs(open_page, url):
    page = open_page(url)
    for handle in page.query_selector_all("a, summary"):
        assert not (handle.get_attribute("href") or "").startswith("javascript")
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize("url", URLS)
def test_no_page_is_wider_than_the_window(open_page, url):
    page = open_page(url)
    for width in (1280, 700, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("url", URLS)
def test_axe_finds_nothing_wrong(open_page, url, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(url, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found] == []


def test_the_list_is_filtered_as_you_type(open_page):
    page = open_page("/")
    page.focus("#q")
    page.keyboard.type("terraform lock")
    assert page.locator("[data-said]:visible").count() == 1
    assert "1 of the 10" in page.inner_text("#found")


def test_a_command_is_copied_or_selected(open_page):
    page = open_page("/drafts/docs-site-007")
    page.click("text=Copy >> nth=0")
    page.wait_for_function("document.querySelector('[data-copy]').textContent !== 'Copy'")
    assert page.inner_text("[data-copy] >> nth=0") in ("Copied", "Selected: press Ctrl+C")


def test_both_colour_schemes_differ(open_page):
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (open_page("/", color_scheme=s).evaluate(ground) for s in ("light", "dark"))
    assert light != dark

"""`mem materialize`: lessons become draft skills, one a tool, and the digest in MEMORY.md."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memskill.config import Settings
from memskill.draft.doctor import AGENT_ROOTS
from memskill.draft.lint import lint_text, require_clean
from memskill.draft.publish import publish
from memskill.errors import DraftRejected, PathRefused, UsageError
from memskill.lessons.digest import digest_block, with_digest
from memskill.lessons.node import PROJECT, draft_name, tool_node
from memskill.lessons.render import RENDERER_VERSION, render_skill
from memskill.match.texts import node_text
from memskill.records import Lesson, Node, Skill, Skipped
from memskill.sources.atomic import write_atomic
from memskill.sources.identity import text_sha
from memskill.sources.nodefiles import write_node_file
from memskill.sources.redact import redact
from memskill.sources.skills import scan_skills
from memskill.store import DraftRecord, Store, open_store
from memskill.store.base import utc_now

DIGEST = "MEMORY.md"
_MAX_DIGEST_FILE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterializedTool:
    """What was done for one tool."""

    tool: str
    lessons: int
    # Relative to the vault.
    path: str
    # written, unchanged, replaced, proposed (a person edited the draft), promoted (a promoted
    # skill says it already) or dry-run.
    action: str
    # sha of the L1 node that the draft was made from.
    node_sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterializeReport:
    """What a run wrote; a second run with the same lessons writes nothing."""

    tools: tuple[MaterializedTool, ...]
    # written, unchanged or dry-run.
    digest: str
    digest_path: str
    # Tools whose draft was refused, and why.
    skipped: tuple[Skipped, ...]
    # One command an agent, which links each promoted skill; a person runs it.
    links: tuple[str, ...]
    changed: bool


def materialize(
    settings: Settings,
    *,
    candidates: bool = False,
    dry_run: bool = False,
    now: datetime | None = None,
) -> MaterializeReport:
    """Write a draft skill for each tool with lessons, and the digest; return the report.

    Drafts go through the one door to `skills/_drafts/<tool>-failures/`, and a person promotes
    them. Each rests on an L1 node made of the tool's lessons, with edges to their evidence.

    Args:
        settings: Names the vault.
        candidates: Also lessons that only one session showed and nobody confirmed.
        dry_run: Work out the report and write nothing.
        now: What counts as the time of this run; the clock by default.

    Raises:
        NotFound: There is no database yet.
        StoreError, StoreBusy: See `open_store`.
    """
    with open_store(settings) as store:
        lessons = [one for one in store.lessons() if _counts(one, candidates=candidates)]
    by_tool: dict[str, list[Lesson]] = {}
    for lesson in lessons:
        by_tool.setdefault(lesson.tool, []).append(lesson)
    skills = scan_skills(settings.vault, max_bytes=settings.max_file_bytes).skills
    promoted = {one.skill.name: one.skill for one in skills if one.skill.state == "promoted"}
    nodes = {tool: tool_node(tool, by_tool[tool]) for tool in sorted(by_tool)}
    if not dry_run:
        _keep_nodes(settings, nodes, by_tool, now or utc_now())
    tools: list[MaterializedTool] = []
    skipped: list[Skipped] = []
    for tool, node in nodes.items():
        try:
            one = _draft(settings, tool, by_tool[tool], node, promoted, dry_run=dry_run)
            tools.append(one)
        except (DraftRejected, PathRefused, UsageError) as error:
            reason = "; ".join((error.message, *error.reasons))
            skipped.append(Skipped(path=draft_name(tool), reason=reason))
    digest = _digest(settings, lessons, tools, dry_run=dry_run)
    actions = {one.action for one in tools} | {digest}
    return MaterializeReport(
        tools=tuple(tools),
        digest=digest,
        digest_path=DIGEST,
        skipped=tuple(skipped),
        links=tuple(link_commands(settings, sorted(promoted))),
        changed=bool(actions & {"written", "replaced", "proposed"}),
    )


def _counts(lesson: Lesson, *, candidates: bool) -> bool:
    return lesson.state in ("confirmed", "pinned") or (candidates and lesson.state == "candidate")


def _keep_nodes(
    settings: Settings, nodes: Mapping[str, Node], by_tool: Mapping[str, list[Lesson]], at: datetime
) -> None:
    """Let exactly these nodes hold at the addresses of lessons, each on its evidence."""
    with open_store(settings) as store:
        if not _node_changes(store, nodes):
            return
    for tool, node in nodes.items():
        write_node_file(settings.nodes_dir, node, path=f"lessons of {tool}")
    with open_store(settings, write=True) as store, store.transaction():
        opened, closed = _node_changes(store, nodes) or ([], {})
        store.add_nodes([(node, text_sha(node_text(node))) for node in nodes.values()], at)
        store.close_validity(closed, at)
        store.open_validity(opened, at)
        edges = [
            (nodes[tool].sha, sha, "evidence")
            for tool in nodes
            for sha in sorted({sha for lesson in by_tool[tool] for sha in lesson.evidence})
        ]
        store.add_edges([*edges, *((new, old, "supersedes") for old, new in closed.items() if new)])


def _node_changes(
    store: Store, nodes: Mapping[str, Node]
) -> tuple[list[str], dict[str, str | None]] | None:
    """Return the shas to open, and those to close with what takes their place; None: neither."""
    now = {node.query_id: node.sha for node in nodes.values()}
    held: dict[str, str] = {}
    for address in store.addresses():
        project, _, query_id = address.partition("/")
        if project == PROJECT:
            held |= {node.sha: query_id for node in store.nodes_at(project, query_id)}
    opened = sorted(set(now.values()) - set(held))
    # A note that a person wrote at such an address is theirs and stays.
    closed = {
        sha: now.get(query_id)
        for sha, query_id in sorted(held.items())
        if sha not in now.values() and _is_own(store, sha)
    }
    return (opened, closed) if opened or closed else None


def _is_own(store: Store, sha: str) -> bool:
    node = store.node(sha)
    return node is not None and node.author == "mem materialize"


def _draft(
    settings: Settings,
    tool: str,
    lessons: Sequence[Lesson],
    node: Node,
    promoted: Mapping[str, Skill],
    *,
    dry_run: bool,
) -> MaterializedTool:
    """Publish one tool's draft.

    Raises:
        DraftRejected: Lint found errors in it.
        PathRefused: Its place is no plain folder.
        UsageError: None of its lessons may be shown.
    """
    name = draft_name(tool)
    path = f"skills/_drafts/{name}/SKILL.md"
    # Redacted once more: lessons may have been kept by an older redactor.
    text = redact(render_skill(tool, lessons)).text
    require_clean(name, lint_text(text, is_draft=True, folder=name, note=node))
    skill = promoted.get(name)
    if skill is not None and skill.generated_from == node.sha:
        action, path = "promoted", skill.path
    elif dry_run:
        action = "dry-run"
    else:
        with open_store(settings) as store:
            record = store.draft_record(path)
        published = publish(
            settings.vault, name, text, recorded_sha=record.content_sha if record else ""
        )
        action = published.action
        path = published.path.relative_to(settings.vault).as_posix()
        if action in ("written", "replaced"):
            made = DraftRecord(
                path=path,
                content_sha=published.sha,
                node_sha=node.sha,
                model="mem materialize",
                prompt_version=RENDERER_VERSION,
            )
            with open_store(settings, write=True) as store, store.transaction():
                store.record_draft(made)
    return MaterializedTool(
        tool=tool, lessons=len(lessons), path=path, action=action, node_sha=node.sha
    )


def _digest(
    settings: Settings,
    lessons: Sequence[Lesson],
    tools: Sequence[MaterializedTool],
    *,
    dry_run: bool,
) -> str:
    """Put the digest into MEMORY.md, beside what people wrote there; return what was done."""
    path = settings.vault / DIGEST
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise PathRefused(f"{path} is no plain file", hint="Remove what stands there.")
    old = path.read_bytes()[:_MAX_DIGEST_FILE].decode("utf-8", "replace") if path.exists() else ""
    block = redact(digest_block(lessons, {one.tool: one.path for one in tools})).text
    new = with_digest(old, block)
    if new == old or (not lessons and not old):
        return "unchanged"
    if dry_run:
        return "dry-run"
    write_atomic(path, new.encode())
    return "written"


def link_commands(settings: Settings, names: Sequence[str]) -> list[str]:
    """Return one command an agent that links each promoted skill into it, one by one.

    Never the folder `skills` itself: some agents search it down to the drafts.
    """
    if not names:
        return []
    words = " ".join(map(shlex.quote, names))
    skills = shlex.quote(str(settings.skills_dir))
    homes = dict.fromkeys((root.agent, root.home) for root in AGENT_ROOTS)
    return [
        f'mkdir -p ~/{home}; for name in {words}; do ln -sn {skills}/"$name" ~/{home}/; done'
        f"  # {agent}"
        for agent, home in homes
    ]

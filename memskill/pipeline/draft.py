"""`mem skill draft` and `mem skill prompt`: from a note to a draft skill, and nowhere farther."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memskill.config import Settings
from memskill.draft.bodies import PROMPT_VERSION, Draft, DraftBody, Profile, Published
from memskill.draft.compose import Composed, ReplyRejected, compose
from memskill.draft.duplicates import Duplicate, Similarity, near_duplicates, nearest
from memskill.draft.extract import compose_extractive
from memskill.draft.lint import lint_text, require_clean, told
from memskill.draft.names import DraftName, draft_name, name_of_out
from memskill.draft.prompt import MAX_NEIGHBOURS, Prompt, build_prompt
from memskill.draft.publish import publish
from memskill.draft.render import render_skill
from memskill.draft.secret import keep_secret, read_secret
from memskill.models.chat import EXTRACTIVE, Usage, chat_model
from memskill.pipeline.drafting import (
    Chosen,
    Replies,
    choose_node,
    covering_skills,
    encoder_similarity,
    vault_skills,
)
from memskill.records import Finding, Level, Match, Node, Skill
from memskill.sources.atomic import write_atomic
from memskill.store import DraftRecord, open_store


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReport:
    """What a run of `draft` did."""

    address: str
    level: Level
    node_sha: str
    # Which node was taken where an address has several.
    chosen: str
    name: str
    # Relative to the vault; where a proposal lies on `proposed`.
    path: str
    # written, unchanged, proposed, replaced, or dry-run.
    action: str
    model: str
    profile: Profile
    prompt_version: str
    text: str
    # Warnings and remarks of lint; errors never get this far.
    findings: tuple[Finding, ...]
    duplicates: tuple[Duplicate, ...]
    # Promoted skills that already answer the note's query, with their calibrated scores.
    covered_by: tuple[Match, ...]
    notices: tuple[str, ...]
    usage: Usage
    repairs: int
    # Replies that came from the cache.
    cached: int
    diff: str
    # Where a person's text went on `--force`, relative to the vault.
    backup: str
    # What a reviewer would run; memskill never does.
    promote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """What is asked of `draft`, apart from the address."""

    level: Level | None = None
    # None: the setting `chat_model`.
    model: str | None = None
    out: str | None = None
    dry_run: bool = False
    force: bool = False
    profile: Profile = "flat"


def draft_skill(
    settings: Settings,
    address: str,
    request: DraftRequest | None = None,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> DraftReport:
    """Draft a skill from a note, gate it and publish it below `_drafts`; return the report.

    Raises:
        NotFound, UsageError: See `choose_node`.
        NotSkillWorthy: The note holds no procedure.
        DraftRejected: Lint found errors; `reasons` lists all, the reply of a model is kept in
            `.memskill/rejected/`.
        PathRefused: The place is not one draft's folder.
        ModelError: The chat model gave nothing usable.
    """
    request = request or DraftRequest()
    chosen = choose_node(settings, address, request.level)
    named = _name(settings, chosen, request)
    skills = vault_skills(settings)
    similarity, notice = encoder_similarity(settings)
    maker = _Maker(settings, request, named.name, chosen.node, _stamp(clock()))
    maker.notices += _name_notices(named)
    made = maker.make(skills, similarity)
    text = render_skill(maker.draft(made.body), request.profile)
    findings = maker.findings(made.body)
    require_clean(named.name, findings)
    published = None if request.dry_run else _publish(settings, maker, text)
    duplicates = near_duplicates(
        named.name, f"{made.body.description} {made.body.when_to_use}".strip(), skills, similarity
    )
    covered_by, unmatched = covering_skills(settings, chosen.node, named.name)
    maker.notices += filter(None, (notice, unmatched))
    return _report(
        settings,
        chosen,
        maker,
        made,
        published,
        text=text,
        findings=findings,
        duplicates=duplicates,
        covered_by=covered_by,
    )


def draft_prompt(settings: Settings, address: str, level: Level | None = None) -> Prompt:
    """Return the exact prompt that a chat model would get for a note; writes nothing.

    Raises:
        NotFound, UsageError: See `choose_node`.
    """
    chosen = choose_node(settings, address, level)
    similarity, _ = encoder_similarity(settings)
    near = _neighbours(chosen.node, vault_skills(settings), similarity)
    return build_prompt(chosen.node, near, read_secret(settings.state_dir))


class _Maker:
    """Makes and gates the body of one draft."""

    def __init__(
        self, settings: Settings, request: DraftRequest, name: str, node: Node, stamp: str
    ) -> None:
        self.settings, self.request, self.name, self.node = settings, request, name, node
        self.spec = request.model or settings.chat_model
        self.model_name = self.spec
        self.notices: list[str] = []
        self.cached = 0
        self._stamp = stamp

    def make(self, skills: Sequence[Skill], similarity: Similarity) -> Composed:
        """Return a body: of the extractive drafter as it comes, of a model once it is clean."""
        if self.spec == EXTRACTIVE:
            if self.request.model is None:
                self.notices.append("no chat model is set: drafted by `extractive`, without one")
            return Composed(body=compose_extractive(self.node), usage=Usage())
        model = chat_model(self.spec, timeout_seconds=self.settings.chat_timeout_seconds)
        self.model_name = model.name
        secret = (read_secret if self.request.dry_run else keep_secret)(self.settings.state_dir)
        prompt = build_prompt(self.node, _neighbours(self.node, skills, similarity), secret)
        self.notices += prompt.notices
        replies = Replies(self.settings, model)
        try:
            return compose(prompt, replies.asker(), self._faults, self.node.address)
        except ReplyRejected as rejected:
            self._keep_reply(rejected)
            raise
        finally:
            self.cached = replies.from_cache
            if not self.request.dry_run:
                replies.save()

    def draft(self, body: DraftBody) -> Draft:
        """Return the body with its name and provenance."""
        return Draft(
            name=self.name,
            node=self.node,
            body=body,
            model=self.model_name,
            generated_at=self._stamp,
        )

    def findings(self, body: DraftBody) -> list[Finding]:
        """Return what lint says about the file that the body would become."""
        return lint_text(
            render_skill(self.draft(body), self.request.profile),
            profile=self.request.profile,
            is_draft=True,
            folder=self.name,
            note=self.node,
        )

    def _faults(self, body: DraftBody) -> list[str]:
        return [
            f"{told(finding)}. {finding.hint}"
            for finding in self.findings(body)
            if finding.severity == "error"
        ]

    def _keep_reply(self, rejected: ReplyRejected) -> None:
        """Keep the raw reply for diagnosis and say where."""
        if self.request.dry_run:
            return
        folder = self.settings.state_dir / "rejected"
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{self.name}.txt", rejected.reply.encode("utf-8", "replace"))
        rejected.hint = f"The reply lies in {folder / self.name}.txt. {rejected.hint}"


def _name(settings: Settings, chosen: Chosen, request: DraftRequest) -> DraftName:
    if request.out is not None:
        return DraftName(name=name_of_out(request.out, settings.drafts_dir))
    return draft_name(chosen.node.project, chosen.node.query_id, chosen.addresses)


def _name_notices(named: DraftName) -> list[str]:
    if not named.shared_with:
        return []
    return [
        f"the plain name is shared with {', '.join(named.shared_with)}; a hash tells them apart"
    ]


def _neighbours(node: Node, skills: Sequence[Skill], similarity: Similarity) -> list[Skill]:
    promoted = [skill for skill in skills if skill.state == "promoted"]
    text = f"{node.query}\n{node.body[:2000]}"
    return [skill for skill, _ in nearest(text, promoted, similarity, MAX_NEIGHBOURS)]


def _publish(settings: Settings, maker: _Maker, text: str) -> Published:
    """Put the text through the door, and record what lies there now."""
    path = f"skills/_drafts/{maker.name}/SKILL.md"
    with open_store(settings) as store:
        record = store.draft_record(path)
    recorded = record.content_sha if record else ""
    published = publish(
        settings.vault, maker.name, text, recorded_sha=recorded, force=maker.request.force
    )
    if published.action != "proposed" and published.sha != recorded:
        with open_store(settings, write=True) as store, store.transaction():
            store.record_draft(
                DraftRecord(
                    path=path,
                    content_sha=published.sha,
                    node_sha=maker.node.sha,
                    model=maker.model_name,
                    prompt_version=PROMPT_VERSION,
                )
            )
    return published


def _report(
    settings: Settings,
    chosen: Chosen,
    maker: _Maker,
    made: Composed,
    published: Published | None,
    *,
    text: str,
    findings: Sequence[Finding],
    duplicates: Sequence[Duplicate],
    covered_by: Sequence[Match],
) -> DraftReport:
    folder = f"skills/_drafts/{maker.name}"
    vault = shlex.quote(str(settings.vault))
    backup = published.backup if published else None
    return DraftReport(
        address=chosen.node.address,
        level=chosen.node.level,
        node_sha=chosen.node.sha,
        chosen=chosen.why,
        name=maker.name,
        path=f"{folder}/{published.path.name if published else 'SKILL.md'}",
        action=published.action if published else "dry-run",
        model=maker.model_name,
        profile=maker.request.profile,
        prompt_version=PROMPT_VERSION,
        text=text,
        findings=tuple(findings),
        duplicates=tuple(duplicates),
        covered_by=tuple(covered_by),
        notices=tuple(maker.notices),
        usage=made.usage,
        repairs=made.repairs,
        cached=maker.cached,
        diff=published.diff if published else "",
        backup=f"{folder}/{backup.name}" if backup else "",
        promote=f"git -C {vault} add {folder} && git -C {vault} mv {folder} skills/{maker.name}",
    )


def _stamp(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

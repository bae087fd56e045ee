"""What drafting needs around its core: the node, its neighbours, cached replies."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from memskill.config import Settings
from memskill.draft.compose import Ask, asker
from memskill.draft.duplicates import Similarity, lexical_similarity
from memskill.draft.prompt import Prompt
from memskill.errors import MemskillError, ModelError, NotFound, UsageError
from memskill.models.chat import ChatModel, ChatReply, Usage
from memskill.records import Level, Match, Node, Skill
from memskill.sources.skills import scan_skills
from memskill.store import open_store


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The node that an address was resolved to, and why it was this one."""

    node: Node
    why: str
    # All known addresses: two of them may share a slug.
    addresses: tuple[str, ...]


def choose_node(settings: Settings, address: str, level: Level | None) -> Chosen:
    """Return the newest valid L2 of an address, else its newest L1.

    Args:
        settings: Names the vault.
        address: `<project>/<query-id>`.
        level: Only this level, L1 or L2.

    Raises:
        UsageError: The address has another form, or the level is L0.
        NotFound: No such address, with the three nearest; or it has no node of that level.
    """
    if level == "L0":
        raise UsageError(
            "an L0 node is evidence, not a note",
            hint="Skills are distilled from synthesis: draft from an L1 or L2 node.",
        )
    project, slash, query_id = address.partition("/")
    if not (slash and project.strip() and query_id.strip()) or "/" in query_id:
        raise UsageError(f"{address!r} is no address", hint="Write --from <project>/<query-id>.")
    with open_store(settings) as store:
        nodes = [node for node in store.nodes_at(project, query_id) if node.level != "L0"]
        addresses = tuple(store.addresses())
    if not nodes:
        near = difflib.get_close_matches(address, addresses, n=3, cutoff=0.3)
        hint = f"Nearest: {', '.join(near)}." if near else "`mem ingest` reads the vault's notes."
        raise NotFound(f"no L1 or L2 note at {address}", hint=hint)
    wanted = [node for node in nodes if level in (None, node.level)]
    if not wanted:
        raise NotFound(
            f"no {level} note at {address}", hint=f"It has {', '.join(n.level for n in nodes)}."
        )
    node = next((n for n in wanted if n.level == "L2"), wanted[0])
    why = f"the only note at {address}"
    if len(nodes) > 1:
        reason = "asked for by --level" if level else "an L2 goes before an L1, a newer one first"
        why = f"{node.level} of {len(nodes)} notes at {address}: {reason}"
    return Chosen(node=node, why=why, addresses=addresses)


def vault_skills(settings: Settings) -> list[Skill]:
    """Return all skills and drafts that lie in the vault now, by path."""
    scan = scan_skills(settings.vault, max_bytes=settings.max_file_bytes)
    return sorted((found.skill for found in scan.skills), key=lambda skill: skill.path)


def encoder_similarity(settings: Settings) -> tuple[Similarity, str]:
    """Return cosine by the encoder in force, or shared words and a notice where it cannot load."""
    from memskill.models.registry import load_encoder

    try:
        encoder = load_encoder(settings)
    except ModelError as error:
        return lexical_similarity, f"likeness by shared words only: {error.message}"

    def similarity(text: str, others: Sequence[str]) -> list[float]:
        # Unit vectors: the inner product is the cosine.
        vectors = encoder.encode([text, *others])
        return [float(value) for value in vectors[1:] @ vectors[0]]

    return similarity, ""


def covering_skills(settings: Settings, node: Node, name: str) -> tuple[tuple[Match, ...], str]:
    """Return the promoted skills of another name that already answer the note's query.

    That is what tells a twin best: not that two texts are alike, but that the skill would be
    handed out for the very question. Where the models cannot load there are none, and a notice.
    """
    from memskill.pipeline.matching import Matching

    if not node.query.strip():
        return (), ""
    try:
        found = Matching(settings).match(node.query, project=node.project).matches
    except MemskillError as error:
        return (), f"not matched against promoted skills: {error.message}"
    return tuple(match for match in found if match.name != name), ""


@dataclass(slots=True)
class Replies:
    """Asks a model through the reply cache; new replies are kept until `save`."""

    settings: Settings
    model: ChatModel
    new: dict[str, ChatReply] = dataclasses.field(default_factory=dict[str, ChatReply])
    from_cache: int = 0

    def asker(self) -> Ask:
        """Return the function that answers a prompt, from the cache where it can."""
        live = asker(self.model)

        def ask(prompt: Prompt) -> ChatReply:
            if not self.model.cacheable:
                return live(prompt)
            with open_store(self.settings) as store:
                known = store.reply(prompt.key, self.model.name)
            if known:
                self.from_cache += 1
                # It costs nothing this time.
                return ChatReply(text=known[0])
            reply = live(prompt)
            self.new[prompt.key] = reply
            return reply

        return ask

    def save(self) -> None:
        """Keep the new replies, so that a rerun is free."""
        if not self.new:
            return
        with open_store(self.settings, write=True) as store, store.transaction():
            for key, reply in self.new.items():
                store.save_reply(key, self.model.name, reply.text, usage_json(reply.usage))


def usage_json(usage: Usage) -> str:
    """Return a usage as JSON with sorted keys."""
    return json.dumps(dataclasses.asdict(usage), sort_keys=True)

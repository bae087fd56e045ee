"""Which texts are encoded: of a node its query and body, of a skill its two matched fields."""

from __future__ import annotations

import dataclasses
from collections import Counter

from memskill.records import Node, Skill
from memskill.sources.clauses import positive_text, split_clauses
from memskill.sources.identity import canonical_json, text_sha
from memskill.sources.terms import terms
from memskill.store import SkillRows


def node_text(node: Node) -> str:
    """Return the text of a node that is encoded for search; the encoder cuts it at its limit."""
    return f"{node.query}\n{node.body}"


def skill_rows(skill: Skill) -> tuple[SkillRows, dict[str, str]]:
    """Return what is kept of a skill, and sha -> text of all that is encoded of it.

    Only `description` and `when_to_use` are looked at: never the body, the folder or tags.
    """
    whole = positive_text(skill.description, skill.when_to_use)
    clauses = [(c, text_sha(c.text)) for c in split_clauses(skill.description, skill.when_to_use)]
    counts = Counter(terms(whole))
    texts = {text_sha(whole): whole} | {sha: clause.text for clause, sha in clauses}
    said = [dataclasses.asdict(skill), [dataclasses.asdict(c) for c, _ in clauses], counts]
    rows = SkillRows(
        skill=skill,
        text_sha=text_sha(whole),
        clauses=tuple(clauses),
        terms=counts,
        record_sha=text_sha(canonical_json(said)),
    )
    return rows, texts

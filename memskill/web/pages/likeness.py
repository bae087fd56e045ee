"""Skills and drafts that say nearly what another one says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memskill.draft.duplicates import Duplicate, near_duplicates
from memskill.pipeline.matching import Matching
from memskill.records import Skill
from memskill.sources.clauses import positive_text
from memskill.sources.identity import text_sha
from memskill.web.pages.state import page_state

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memskill.match.snapshot import Snapshot

# Drafts are encoded here, one text each; beyond this many, the rest is not compared.
MAX_DRAFTS = 200


def twins(matching: Matching, skill: Skill, drafts: Sequence[Skill]) -> list[Duplicate]:
    """Return the skills and drafts of another name that are nearly `skill`, nearest first.

    What is compared is what is matched: the positive text of the two fields.
    """
    snapshot = matching.catalogue.current()
    others = [*snapshot.skills.values(), *drafts[:MAX_DRAFTS]]
    asked = _vectors(matching, snapshot, [_text(skill)])[0]

    def similarity(_: str, __: Sequence[str]) -> Sequence[float]:
        compared = [one for one in others if one.name != skill.name]
        # Unit vectors: the inner product is the cosine.
        return [
            float(vector @ asked)
            for vector in _vectors(matching, snapshot, [_text(one) for one in compared])
        ]

    return near_duplicates(skill.name, "", others, similarity)


def _text(skill: Skill) -> str:
    return positive_text(skill.description, skill.when_to_use)


def _vectors(
    matching: Matching, snapshot: Snapshot, texts: Sequence[str]
) -> list[npt.NDArray[np.float32]]:
    """Return the vectors of texts: remembered, the snapshot's, else encoded now."""
    encoder, known = matching.matcher.encoder, page_state().vectors
    keys = {text: f"{encoder.fingerprint}/{text_sha(text)}" for text in texts}
    found = {text: vector for text in keys if (vector := known.get(keys[text])) is not None}
    missing = [text for text in keys if text not in found]
    if missing:
        store = snapshot.store.cursor()
        try:
            kept = store.vectors([text_sha(text) for text in missing], encoder.fingerprint)
        finally:
            store.close()
        found |= {t: kept[sha] for t in missing if (sha := text_sha(t)) in kept}
    if missing := [text for text in missing if text not in found]:
        found |= dict(zip(missing, encoder.encode(missing), strict=True))
    for text, vector in found.items():
        known.put(keys[text], vector)
    return [found[text] for text in texts]

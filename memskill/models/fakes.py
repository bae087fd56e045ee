"""Models for tests, reached by injection in code and never by a setting.

They know nothing of language. Texts that share words come out near each other, which is all
that a test of shortlists, floors or states needs, and nothing has to load.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memskill.models.calibration import Calibration
from memskill.models.protocols import DIMENSION
from memskill.models.values import check_evidence, clean

if TYPE_CHECKING:
    from memskill.models.protocols import Evidence, Logits, Vectors

_WORD = re.compile(r"\w+")


class HashEncoder:
    """Hashes words and their three-letter pieces to signed places of a vector.

    Args:
        seed: Another seed is another model, with another fingerprint.
    """

    dimension = DIMENSION

    def __init__(self, seed: int = 0) -> None:
        self._seed = str(seed).encode()
        self.fingerprint = hashlib.sha256(b"fake encoder " + self._seed).hexdigest()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (n, 384), rows L2-normalised; a text without words has one vector."""
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for gram, weight in _grams(text):
                digest = hashlib.blake2b(gram.encode(), digest_size=8, key=self._seed).digest()
                number = int.from_bytes(digest, "big")
                row[(number >> 1) % DIMENSION] += weight if number & 1 else -weight
            row[0] += not row.any()
            row /= np.linalg.norm(row)
        return vectors


class OverlapReranker:
    """Scores a text by the share of the task's words that it holds.

    Args:
        evidence_names: Columns that it asks for and does not look at.
    """

    calibration = Calibration()

    def __init__(self, evidence_names: tuple[str, ...] = ()) -> None:
        self.evidence_names = evidence_names
        self.fingerprint = hashlib.sha256(f"fake reranker {evidence_names}".encode()).hexdigest()

    def rerank(self, task: str, texts: Sequence[str], evidence: Evidence) -> Logits:
        """Return float64 (n,), from -4 (no word shared) to 4 (every word of the task)."""
        check_evidence(evidence, len(texts), len(self.evidence_names))
        asked = set(_words(task))
        shares = [len(asked.intersection(_words(text))) / max(1, len(asked)) for text in texts]
        return 8.0 * np.array(shares, dtype=np.float64) - 4.0


def _words(text: str) -> list[str]:
    return _WORD.findall(clean(text).lower())


def _grams(text: str) -> Iterator[tuple[str, float]]:
    """Yield whole words, weight 1, and their three-letter pieces, weight 0.2."""
    for word in _words(text):
        yield word, 1.0
        marked = f"<{word}>"
        for start in range(len(marked) - 2):
            yield marked[start : start + 3], 0.2

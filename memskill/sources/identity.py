"""Shas: what makes two nodes, texts or files the same one."""

from __future__ import annotations

import hashlib
import json
import unicodedata

from memskill.records import Level

NODE_SCHEMA = "memskill/node/1"
# Made once: chunks of transcripts are hashed by the hundred thousand.
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical_json(value: object) -> str:
    """Return the one JSON text of `value`: sorted keys, no spaces, characters as they are.

    Raises:
        ValueError: NaN or an infinity, which JSON cannot say.
    """
    return _CANONICAL.encode(value)


def file_sha(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def text_sha(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 form as 64 lower-case hex digits.

    A lone surrogate, which UTF-8 has no form for, counts as U+FFFD.
    """
    try:
        return file_sha(text.encode("utf-8"))
    except UnicodeEncodeError:
        return file_sha(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode())


def node_sha(level: Level, project: str, query_id: str, query: str, body: str) -> str:
    """Return a node's identity: the SHA-256 of its content as canonical JSON.

    L1 and L2 are hashed with their address and query. L0 is hashed by its text alone, so that
    one chunk seen in two sessions is one node. No time, counter or model takes part.
    """
    text = unicodedata.normalize("NFC", body)
    if level == "L0":
        return text_sha(canonical_json([NODE_SCHEMA, level, text]))
    return text_sha(canonical_json([NODE_SCHEMA, level, project, query_id, query, text]))

"""What was written as a draft, and replies of chat models that need not be asked again."""

from __future__ import annotations

from dataclasses import dataclass

from memskill.store.base import Connection, utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRecord:
    """What memskill wrote at a draft's path; other bytes there mean that a person edited it."""

    # Relative to the vault.
    path: str
    content_sha: str
    node_sha: str
    model: str
    prompt_version: str


class DraftQueries(Connection):
    """Reads and writes of draft records and cached replies."""

    def draft_record(self, path: str) -> DraftRecord | None:
        """Return what was last written at `path` (relative to the vault), or None."""
        for content_sha, node_sha, model, version in self._rows("draft_record", path=path):
            return DraftRecord(
                path=path,
                content_sha=content_sha,
                node_sha=node_sha,
                model=model,
                prompt_version=version,
            )
        return None

    def record_draft(self, record: DraftRecord) -> None:
        """Note what was written; the older note of the same path is replaced."""
        self._run(
            "record_draft",
            path=record.path,
            content_sha=record.content_sha,
            node_sha=record.node_sha,
            model=record.model,
            prompt_version=record.prompt_version,
            at=utc_now(),
        )

    def reply(self, prompt_sha: str, model: str) -> tuple[str, str] | None:
        """Return (reply, usage as JSON) that `model` once gave to this prompt, or None."""
        for reply, usage in self._rows("cached_reply", prompt_sha=prompt_sha, model=model):
            return str(reply), str(usage)
        return None

    def save_reply(self, prompt_sha: str, model: str, reply: str, usage: str) -> None:
        """Keep a reply for the next run with the same prompt and model."""
        self._run(
            "save_reply", prompt_sha=prompt_sha, model=model, reply=reply, usage=usage, at=utc_now()
        )

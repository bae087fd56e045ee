"""The folder of a draft: which name an address gets, and which names are allowed at all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from memskill.errors import PathRefused
from memskill.sources.safety import printable
from memskill.sources.slug import MAX_SLUG, slug

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HASH_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftName:
    """The name of a draft, and the other addresses that would have had it too."""

    name: str
    shared_with: tuple[str, ...] = ()


def draft_name(project: str, query_id: str, addresses: Sequence[str]) -> DraftName:
    """Return the slug of an address, told apart from every other known address with that slug.

    Where several addresses share a slug each of them gets a short hash of its address, so that
    the name depends on the set of addresses alone, never on the order of drafting.

    Args:
        project: Project of the node.
        query_id: Query id of the node.
        addresses: All known addresses `<project>/<query-id>`; the own one may be among them.
    """
    address = f"{project}/{query_id}"
    plain = slug(project, query_id)
    # A project holds no slash, so the first one parts the two.
    others = {other for other in addresses if other != address and "/" in other}
    same = sorted(other for other in others if slug(*other.split("/", 1)) == plain)
    if not same:
        return DraftName(name=plain)
    digest = hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    kept = plain[: MAX_SLUG - _HASH_DIGITS - 1].rstrip("-")
    return DraftName(name=f"{kept}-{digest}", shared_with=tuple(same))


def require_name(name: str) -> str:
    """Return `name` if a draft's folder may be called so.

    Raises:
        PathRefused: Anything but small letters, digits and single hyphens, or longer than 64.
    """
    if not _NAME.fullmatch(name) or len(name) > MAX_SLUG:
        raise PathRefused(
            f"{printable(name, 80)!r} cannot be the name of a draft",
            hint="Small letters, digits and single hyphens, at most 64 characters.",
        )
    return name


def name_of_out(out: str, drafts: Path) -> str:
    """Return the draft's name that `--out` asks for: `<_drafts>/<name>` or its `SKILL.md`.

    Raises:
        PathRefused: The path is not exactly one folder inside `_drafts`; nothing was touched.
    """
    refusal = PathRefused(
        f"--out {printable(out, 120)} is not a draft's place",
        hint=f"Drafts are written to {drafts}/<name>/SKILL.md and nowhere else.",
    )
    if "\0" in out:
        raise refusal
    path = PurePath(out)
    if ".." in path.parts:
        raise refusal
    absolute = Path(path) if path.is_absolute() else Path.cwd() / path
    folder = absolute.parent if absolute.name == "SKILL.md" else absolute
    # Compared as text: where a link leads is checked again when the door opens each folder.
    if folder.parent != drafts:
        raise refusal
    return require_name(folder.name)

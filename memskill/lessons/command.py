"""What a simple command is about: its tool, its sub-command, and its shape for comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memskill.lessons.shell import Segment, deciding, split_segments, words_of

# Commands that run another one, with the number of their own words that follow (flags apart).
_WRAPPERS = {
    "sudo": 0, "time": 0, "nohup": 0, "command": 0, "exec": 0, "env": 0, "nice": 0, "stdbuf": 0,
    "timeout": 1, "gtimeout": 1, "npx": 0, "bunx": 0, "uvx": 0, "xvfb-run": 0, "doas": 0,
}  # fmt: skip
_TWO_WORD_WRAPPERS = frozenset(
    (
        "uv run", "poetry run", "pipenv run", "pdm run", "hatch run", "pnpm exec", "pnpm dlx",
        "yarn exec", "yarn dlx", "bun x", "bundle exec", "rye run", "conda run",
    )
)  # fmt: skip
_ALIASES = {"python3": "python", "pip3": "pip", "node.exe": "node", "gradlew": "gradle"}
# Tools whose first plain word says what they do.
_WITH_SUBCOMMANDS = frozenset(
    """git npm yarn pnpm bun docker podman kubectl helm cargo go mix pip uv poetry gh glab
    terraform tofu brew apt apt-get dnf systemctl conda dotnet gradle mvn rails rake bundle gem
    composer php aws gcloud az flyctl vercel netlify wrangler firebase heroku alembic
    django-admin make just bd task turbo nx lerna rush deno pnpm ansible vault consul nomad
    argocd flux istioctl openssl docker-compose ollama hf tmux cmake npm-run ruff mem launchctl
    snap nix rustup""".split()
)
# Of these, a second word belongs to the sub-command.
_NESTED = frozenset(
    (
        "npm run", "yarn run", "pnpm run", "bun run", "docker compose", "gh pr", "gh issue",
        "gh run", "gh api", "gh repo", "uv pip", "git remote", "git worktree", "git submodule",
        "git stash", "terraform state", "docker image", "docker volume", "kubectl rollout",
        "kubectl config", "npm exec", "helm repo", "uv tool", "aws s3", "gcloud run",
    )
)  # fmt: skip
_TAKES_VALUE = frozenset(("-C", "-c", "-f", "-n", "--prefix", "--namespace", "--context", "-w"))
_MESSAGES = {
    **dict.fromkeys(("git", "hg", "svn", "jj"), frozenset(("-m", "-am", "--message"))),
    **dict.fromkeys(("gh", "glab"), frozenset(("-b", "--body", "-t", "--title", "--notes"))),
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:.-]{0,40}")
# Words that are data: messages, bodies, JSON. They do not make two commands differ.
_LONG_WORD = 60
_MOST_GROUPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A simple command, read."""

    tool: str
    # "" where the tool has none.
    subcommand: str
    # All words, wrappers and assignments with them, data words as "…": equal means unchanged.
    shape: tuple[str, ...]
    # What follows the tool and the sub-command.
    arguments: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Tool and sub-command."""
        return self.tool, self.subcommand

    @property
    def line(self) -> str:
        """The shape as one line, for people."""
        return " ".join(_quoted(word) for word in self.shape)


@lru_cache(maxsize=4096)
def commands_of(line: str) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Return all simple commands of a line, and those whose failure can be the line's."""
    segments = split_segments(line)
    return _read(segments), _read(deciding(segments))


def _read(segments: list[Segment]) -> tuple[Command, ...]:
    found: list[Command] = []
    for segment in segments:
        words = words_of(segment.text)
        inner = _shell_string(words) or _group(segment.text)
        if inner:
            found.extend(commands_of(inner)[1])
        elif command := read_command(words):
            found.append(command)
    return tuple(found)


def read_command(words: list[str]) -> Command | None:
    """Return what the words of a simple command say, or None where they name no tool."""
    at = _behind_wrappers(words)
    if at >= len(words):
        return None
    tool = words[at].rstrip("/").rsplit("/", 1)[-1]
    if tool.startswith("python") and words[at + 1 : at + 2] == ["-m"] and len(words) > at + 2:
        at += 2
        tool = words[at]
    tool = _ALIASES.get(tool, tool)
    rest = words[at + 1 :]
    subcommand, used = _subcommand(tool, rest)
    if not tool or len(tool) > _LONG_WORD:
        return None
    messages = _MESSAGES.get(tool, frozenset()) if subcommand != "branch" else frozenset[str]()
    # A message is data, however short.
    said = ["\n" if n and words[n - 1] in messages else word for n, word in enumerate(words)]
    return Command(
        tool=tool,
        subcommand=subcommand,
        shape=tuple(_plain(word) for word in said),
        arguments=tuple(_plain(word) for n, word in enumerate(said[at + 1 :]) if n not in used),
    )


def _behind_wrappers(words: list[str]) -> int:
    """Return the place of the tool behind assignments and commands that only run it."""
    at = 0
    while at < len(words):
        word = words[at].rsplit("/", 1)[-1]
        if _ASSIGNMENT.match(words[at]):
            at += 1
        elif word in _WRAPPERS and at + 1 < len(words):
            at = _behind_flags(words, at + 1, _WRAPPERS[word])
        elif " ".join((word, *words[at + 1 : at + 2])) in _TWO_WORD_WRAPPERS:
            at = _behind_flags(words, at + 2, 0)
        else:
            break
    return at


def _behind_flags(words: list[str], at: int, own: int) -> int:
    while at < len(words) - 1 and (words[at].startswith("-") or own):
        own -= not words[at].startswith("-")
        at += 1
    return at


def _subcommand(tool: str, rest: list[str]) -> tuple[str, set[int]]:
    """Return a tool's sub-command and which of the words behind the tool it is."""
    if tool not in _WITH_SUBCOMMANDS:
        return "", set()
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        at += 2 if rest[at] in _TAKES_VALUE else 1
    if at >= len(rest) or not _SUBCOMMAND.fullmatch(rest[at]):
        return "", set()
    first = rest[at]
    if f"{tool} {first}" in _NESTED:
        for further in range(at + 1, len(rest)):
            if not rest[further].startswith("-"):
                if _SUBCOMMAND.fullmatch(rest[further]):
                    return f"{first} {rest[further]}", {at, further}
                break
    return first, {at}


def _shell_string(words: list[str]) -> str:
    """Return the line that `bash -c '…'` runs, or ""."""
    shell = len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh")
    return words[2] if shell and words[1] in ("-c", "-lc", "-ic") else ""


def _group(text: str) -> str:
    """Return what stands in the parentheses of a sub-shell, or ""; nobody nests them deep."""
    grouped = text.startswith("(") and text.endswith(")") and text.count("(") <= _MOST_GROUPS
    return text[1:-1] if grouped else ""


def _plain(word: str) -> str:
    """Return a word as it counts for comparison: data is only said to be there."""
    data = len(word) > _LONG_WORD or "\n" in word or "$(" in word or word.count(" ") > 2
    return "…" if data else word


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word

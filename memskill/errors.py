"""The error tree. A class carries its code, exit status and HTTP status; an instance its hint.

MemskillError                 code              exit  HTTP
  ConfigError                 config              78   500   a setting that cannot be
  UsageError                  usage               64   400   a request that cannot be answered
  SourceError                 source              65   422   a file is not what it claims to be
    NoteInvalid               note-invalid        65   422
    SkillInvalid              skill-invalid       65   422
    TasksInvalid              tasks-invalid       65   422   a task file, by line and field
  NotFound                    not-found           66   404   with the nearest known names
  PathRefused                 path-refused        73   403   a path leaves its allowed place
  FilesMissing                files-missing       70   500   the package lacks sql/ or data/
  StoreError                  store               74   500
    StoreBusy                 store-busy          75   503   another process holds the lock: who
    StoreTooNew               store-too-new       70   500   the file was made by a newer memskill
    StoreBehind               store-behind        70   500   by an older one: `mem db migrate`
    MigrationEdited           migration-edited    70   500   a migration that ran has other text now
    CheckFailed               check-failed        65   500   `mem db check` found rows
  ModelError                  model               69   502   cannot load, or answered nonsense
    ExtraMissing              extra-missing       69   501   carries the install line
    ChatTimeout               chat-timeout        75   504
    FloorMissing              floor-missing       78   503   none fitted for these models
  EvaluationRefused           evaluation-refused  65   422   too few tasks, or a split that leaks
  DraftRejected               draft-rejected      65   422   every failed rule, not the first
  NotSkillWorthy              not-skill-worthy    65   422   the note holds no procedure: why

Exit statuses follow sysexits(3); click keeps 2 for a malformed command line. The CLI and the
web app translate at one boundary each; anything that is not in this tree is a bug and keeps its
traceback (on stderr, never in a response).
"""

from __future__ import annotations

from collections.abc import Sequence


class MemskillError(Exception):
    """Base of all that memskill raises on purpose.

    Args:
        message: What is wrong, naming the file, line, field or value.
        hint: What to do about it, as one sentence or command; may be empty.
        reasons: Every single fault where there are several, in a stable order.
    """

    code = "memskill"
    exit_status = 1
    http_status = 500

    def __init__(self, message: str, *, hint: str = "", reasons: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.reasons = tuple(reasons)


class ConfigError(MemskillError):
    """A setting is unknown, of the wrong type or out of range."""

    code, exit_status, http_status = "config", 78, 500


class UsageError(MemskillError):
    """A request cannot be answered as it was put."""

    code, exit_status, http_status = "usage", 64, 400


class SourceError(MemskillError):
    """A file cannot be read as what it claims to be."""

    code, exit_status, http_status = "source", 65, 422


class NoteInvalid(SourceError):
    """A note cannot become a node."""

    code = "note-invalid"


class SkillInvalid(SourceError):
    """A SKILL.md cannot become a skill."""

    code = "skill-invalid"


class TasksInvalid(SourceError):
    """A labelled task file breaks its schema."""

    code = "tasks-invalid"


class NotFound(MemskillError):
    """No such address, skill or topic."""

    code, exit_status, http_status = "not-found", 66, 404


class PathRefused(MemskillError):
    """A path leaves the one place that may be written or read; refused before a byte moved."""

    code, exit_status, http_status = "path-refused", 73, 403


class FilesMissing(MemskillError):
    """The installed package lacks a folder that it ships."""

    code, exit_status = "files-missing", 70


class StoreError(MemskillError):
    """The database file cannot be opened or does not hold what it must."""

    code, exit_status, http_status = "store", 74, 500


class StoreBusy(StoreError):
    """Another process holds the writer's lock or the database file."""

    code, exit_status, http_status = "store-busy", 75, 503


class StoreTooNew(StoreError):
    """A newer memskill made this database."""

    code, exit_status = "store-too-new", 70


class StoreBehind(StoreError):
    """An older memskill made this database; a writer brings it up to date."""

    code, exit_status = "store-behind", 70


class MigrationEdited(StoreError):
    """A migration that was applied has been edited since."""

    code, exit_status = "migration-edited", 70


class CheckFailed(StoreError):
    """A check found offending rows."""

    code, exit_status = "check-failed", 65


class ModelError(MemskillError):
    """A model cannot load, or what it answered cannot be used."""

    code, exit_status, http_status = "model", 69, 502


class ExtraMissing(ModelError):
    """An optional dependency is not installed; the hint is the install line."""

    code, http_status = "extra-missing", 501


class ChatTimeout(ModelError):
    """A chat model did not answer in time, retries included."""

    code, exit_status, http_status = "chat-timeout", 75, 504


class FloorMissing(ModelError):
    """No floor was fitted for the models in use."""

    code, exit_status, http_status = "floor-missing", 78, 503


class EvaluationRefused(MemskillError):
    """An evaluation or a fit would say nothing: too few tasks, or leaking splits."""

    code, exit_status, http_status = "evaluation-refused", 65, 422


class DraftRejected(MemskillError):
    """A draft broke rules; `reasons` lists every one."""

    code, exit_status, http_status = "draft-rejected", 65, 422


class NotSkillWorthy(MemskillError):
    """The note holds no procedure that a skill could carry."""

    code, exit_status, http_status = "not-skill-worthy", 65, 422

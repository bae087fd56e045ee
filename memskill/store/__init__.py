"""The store: the only importer of duckdb. SQL lives in sql/, rows become records here."""

from memskill.store.connection import Store, memory_store, open_store
from memskill.store.drafts import DraftRecord
from memskill.store.feedback import Asked, Feedback, Verdict
from memskill.store.floors import FloorRow, floor_time
from memskill.store.lessons import LessonMoment
from memskill.store.lock import writer_lock
from memskill.store.matching import Shortlisted, ShortlistPolicy
from memskill.store.nodes import NoteSource, source_id
from memskill.store.passages import NOTE_VIEWS, HitKind, NoteRow, NoteWeights, PassageRow
from memskill.store.private import private_copy
from memskill.store.skills import SkillRows

__all__ = [
    "NOTE_VIEWS",
    "Asked",
    "DraftRecord",
    "Feedback",
    "FloorRow",
    "HitKind",
    "LessonMoment",
    "NoteRow",
    "NoteSource",
    "NoteWeights",
    "PassageRow",
    "ShortlistPolicy",
    "Shortlisted",
    "SkillRows",
    "Store",
    "Verdict",
    "floor_time",
    "memory_store",
    "open_store",
    "private_copy",
    "source_id",
    "writer_lock",
]

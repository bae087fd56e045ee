"""The page: the catalogue, one skill, the match explorer, drafts and the floor, for people.

Nothing here writes. Every text of the vault, of a note or of a request is taken as hostile.
"""

from memskill.web.pages.install import install

__all__ = ["install"]

"""What notebooks and analysts use: a vault with its verbs, and results that show themselves."""

from memskill.explore.example import open_example
from memskill.explore.vault import Vault, open_vault

__all__ = ["Vault", "open_example", "open_vault"]

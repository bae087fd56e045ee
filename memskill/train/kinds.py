"""Names for what torch, numpy, onnx and tokenizers hand about.

They stand for `Any`: the packages are optional here and only partly typed, and a name that says
what is meant reads better than their deep generics. Shapes are in the docstrings.
"""

from __future__ import annotations

import importlib
from typing import Any, TypeAlias

from memskill.errors import ExtraMissing

Array: TypeAlias = Any  # numpy.ndarray
Tensor: TypeAlias = Any  # torch.Tensor
Network: TypeAlias = Any  # torch.nn.Module
Optimizer: TypeAlias = Any  # torch.optim.Optimizer
Tokenizer: TypeAlias = Any  # tokenizers.Tokenizer
Graph: TypeAlias = Any  # onnx GraphProto, NodeProto, TensorProto
Module: TypeAlias = Any  # an imported module


def need_training() -> None:
    """Import what every training and export takes, so that a missing one is told at once.

    Raises:
        ExtraMissing: One is not installed; the hint is the install line.
    """
    for module in ("torch", "transformers", "onnx"):
        need(module)


def need(module: str) -> Module:
    """Return an optional module, untyped on purpose.

    Raises:
        ExtraMissing: It is not installed; the hint is the install line.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ExtraMissing(
            f"training needs {module}, which is not installed",
            hint="pip install 'memskill[hf]'",
        ) from error

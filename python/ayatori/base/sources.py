"""Names of sources."""

from __future__ import annotations

import warnings

from ayatori import _core
from ayatori.base.errors import SourceTaken


def with_kind(source: str) -> str:
    """The path of a file or folder with the kind that its content has, "ib:fabric.txt"; other sources as they are.

    Issues a SourceTaken that says so. Raises Error for a content that no kind has, or several.
    """
    found = _core.with_kind(source)
    if found != source:
        warnings.warn(f"taken for {found}", SourceTaken, stacklevel=3)
    return found

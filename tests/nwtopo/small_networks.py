"""Networks that one can count by hand."""

from collections.abc import Iterable

from ayatori.nwtopo import Obj

TREE = "fattree:K=4,levels=2"  # 8 leaves of 4 hosts, 4 spines
TORUS = "torus:3x4x5"


def names(objects: Iterable[Obj]) -> list[str]:
    return [obj.name for obj in objects]

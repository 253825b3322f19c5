"""Files that Ayatori writes, beside the schemas of their formats."""

import json
from pathlib import Path
from typing import Any

import jsonschema

SCHEMAS = Path(__file__).parent.parent / "src/planner/artefacts/schemas"


def document_in(file: Path, schema: str) -> Any:
    """What a file holds, which must be as its schema says."""
    document = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8")))
    return document

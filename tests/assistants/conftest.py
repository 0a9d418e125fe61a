from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant

from .library import write_library


@pytest.fixture
def library(tmp_path: Path) -> Assistant:
    return load_assistant(write_library(tmp_path / "library"))

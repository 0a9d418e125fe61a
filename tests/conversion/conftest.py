"""What the tests of conversions share."""

from __future__ import annotations

import pytest

from tests.cli.calling import Caller


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(capsys)

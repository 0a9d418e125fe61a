from pathlib import Path

import pytest

from du_eval.assistants.files import is_assistant

from .library import write


@pytest.mark.parametrize(
    ("domain", "flows"), [("domain", "flows"), ("domain__a", "data__a"), ("domain", "flows__a")]
)
def test_a_folder_with_domain_and_flows_is_an_assistant(tmp_path: Path, domain: str, flows: str) -> None:
    write(tmp_path, domain="", flows="")
    write(tmp_path / "inner", **{domain: "", flows: "", "tests__deep__case": ""})
    assert [is_assistant(tmp_path / name) for name in ("inner", "inner/tests")] == [True, False]


def test_a_domain_alone_is_no_assistant(tmp_path: Path) -> None:
    write(tmp_path, domain="")
    assert not is_assistant(tmp_path)

import sys
from pathlib import Path

import pytest

from du_eval.errors import PluginError
from du_eval.plugins import load_module, load_object


@pytest.fixture(autouse=True)
def _working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder that leaves no trace on the import path; each test has modules of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))


def module(name: str, text: str) -> None:
    path = Path(*name.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def refusal_of(path: str) -> str:
    with pytest.raises(PluginError) as caught:
        load_object(path)
    return str(caught.value)


class TestPaths:
    def test_a_class_is_found_from_the_working_directory(self) -> None:
        module("plugin_a", "class Order: pass\n")
        assert load_object("plugin_a.Order").__name__ == load_object("plugin_a:Order").__name__ == "Order"

    def test_a_module_may_lie_in_a_package(self) -> None:
        module("plugin_b.inner.orders", "class Order: size = 5\n")
        assert load_object("plugin_b.inner.orders.Order").size == 5

    def test_behind_a_colon_stands_a_path_of_attributes(self) -> None:
        module("plugin_c", "class Shop:\n    class Order: size = 5\n")
        assert load_object("plugin_c:Shop.Order.size") == 5

    def test_an_installed_package_is_found_as_well(self) -> None:
        assert load_object("pathlib.Path") is Path

    def test_a_module_may_import_its_neighbours_later(self) -> None:
        module("plugin_d", "def late():\n    import plugin_d_neighbour\n    return plugin_d_neighbour.x\n")
        module("plugin_d_neighbour", "x = 5\n")
        assert load_object("plugin_d:late")() == 5

    def test_the_working_directory_comes_first_and_only_once(self) -> None:
        module("plugin_e", "")
        load_module("plugin_e")
        load_module("plugin_e")
        assert sys.path[0] == str(Path.cwd())
        assert sys.path.count(str(Path.cwd())) == 1


class TestWhatIsRefused:
    @pytest.mark.parametrize("path", ["", "Order", ":Order", "plugin:", ".Order", "plugin."])
    def test_a_path_that_names_no_module_or_no_attribute(self, path: str) -> None:
        assert (
            refusal_of(path)
            == f"'{path}' is not a class path; write my_module.MyClass or my_module:attribute"
        )

    def test_a_module_that_is_not_there(self) -> None:
        assert refusal_of("plugin_missing.Order") == (
            f"there is no module 'plugin_missing' (searched in the working directory {Path.cwd()} "
            "and among the installed packages)"
        )

    def test_a_package_that_is_not_there(self) -> None:
        assert refusal_of("plugin_missing.inner:Order").startswith(
            "there is no module 'plugin_missing.inner'"
        )

    def test_an_attribute_that_is_not_there(self) -> None:
        module("plugin_f", "class Order: pass\n")
        assert refusal_of("plugin_f.Ordr") == "'plugin_f' has no attribute 'Ordr' (did you mean 'Order'?)"
        assert refusal_of("plugin_f:Order.xyz") == "'plugin_f' has no attribute 'xyz'"

    def test_a_module_that_imports_what_is_not_installed(self) -> None:
        module("plugin_g", "import no_such_package.inner\n")
        assert refusal_of("plugin_g:x") == "'plugin_g' imports 'no_such_package', which is not installed"

    def test_a_module_that_raises_is_told_with_the_place(self) -> None:
        module("plugin_h", "x = 1\ny = x / 0\n")
        place = Path("plugin_h.py").absolute()
        assert (
            refusal_of("plugin_h:y")
            == f"'plugin_h' cannot be imported: ZeroDivisionError: division by zero at {place}:2"
        )

    def test_a_module_that_is_not_valid_python(self) -> None:
        module("plugin_i", "def broken(:\n")
        assert refusal_of("plugin_i:x").startswith("'plugin_i' cannot be imported: SyntaxError: ")

    def test_a_script_that_exits_when_it_is_imported(self) -> None:
        module("plugin_j", "import sys\nsys.exit(0)\n")
        assert refusal_of("plugin_j:x").startswith("'plugin_j' cannot be imported: SystemExit: 0 at ")

"""HOCON is read with lines, and harmless whoever wrote it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from du_eval.errors import InputError
from du_eval.parsers.hocon_parser import HoconLimits, HoconSources, parse_hocon


def parsed(text, **sources):
    return parse_hocon(text, "case.hocon", HoconSources(**sources) if sources else None).root


def problem(text, **sources):
    with pytest.raises(InputError) as caught:
        parsed(text, **sources)
    return str(caught.value)


def problems_of(text):
    try:
        parsed(text)
    except InputError as error:
        return error.problems
    return ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a = 1", {"a": 1}),
        ("a : 1, b : 2", {"a": 1, "b": 2}),
        ("a : 1\nb : 2 // c\n# d", {"a": 1, "b": 2}),
        ("a { b = 1 }\na.c = 2", {"a": {"b": 1, "c": 2}}),
        ('a = """x "y"\tz\n"""', {"a": 'x "y"\tz\n'}),
        ('a = """end""""', {"a": 'end"'}),
        ("success_ratio: 2/3", {"success_ratio": "2/3"}),
        ("a = foo bar  baz", {"a": "foo bar  baz"}),
        ("a = 10 seconds", {"a": "10 seconds"}),
        ("a: [1, 2,]", {"a": [1, 2]}),
        ("a: [\n1\n2\n]", {"a": [1, 2]}),
        ("a = [1]\na += 2", {"a": [1, 2]}),
        ("path = [1]\npath = ${path} [2]", {"path": [1, 2]}),
        ('"a.b" = 1', {"a.b": 1}),
        ('a."b.c".d = 1', {"a": {"b.c": {"d": 1}}}),
        ("a = true\nb = null\nc = -1.5e3\nd = 007", {"a": True, "b": None, "c": -1500.0, "d": "007"}),
        ('a = "\\u00e9"', {"a": "é"}),
        ("x = 1\na = ${x}\nb = v${x}w", {"x": 1, "a": 1, "b": "v1w"}),
        ("base { x: 1 }\na = ${base} { y: 2 }", {"base": {"x": 1}, "a": {"x": 1, "y": 2}}),
        ("a = 1\na = ${?none}", {"a": 1}),
        ("a += ${?none}", {"a": []}),
        ("bar : { foo : 42, baz : ${bar.foo} }\nbar : { foo : 43 }", {"bar": {"foo": 43, "baz": 43}}),
        ("\ufeffa = 1", {"a": 1}),
        ("", {}),
        ('a."": 1', {"a": {"": 1}}),
        ('"".b: 1', {"": {"b": 1}}),
    ],
)
def test_it_reads_what_the_format_allows(text, value):
    assert parsed(text) == value


def test_every_key_knows_its_line():
    root = parsed("a: 1\nb {\n  c: 2\n  d.e: 3\n}")
    assert root.lines == {"a": 1, "b": 2}
    assert root["b"].lines == {"c": 3, "d": 4}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: [1, 2", "case.hocon:2: the '[' of line 2 is not closed"),
        ("a: {\n b: 1", "the '{' of line 1 is not closed"),
        ("a: who?", "the character '?' in '?' needs quotes"),
        ('a: "open\nb: 1', "case.hocon:1: a quoted string is not closed"),
        ("a: [1,,2]", "two commas"),
        ("[1]", "there is a list where an object is needed"),
        ("a = ${b}\nb = ${a}", "refers to nothing, or only to itself"),
        ("a = ${b}", "'${b}' refers to nothing"),
        ("a = 1}", "unexpected '}'"),
        ("a = [1] {b: 2}", "cannot be joined"),
        ('a = "\\q"', "an unknown escape sequence"),
        ("a = " + "[" * 100 + "]" * 100, "nested too deeply"),
        ('"a"..b: 1', "1: the key 'a..b' has an empty step"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, said):
    assert said in problem(text)


def test_environment_variables_are_off_unless_they_are_given():
    assert "--allow-env" in problem("a = ${HOME}")
    assert parsed("a = ${HOME}", environment={"HOME": "/h"}) == {"a": "/h"}


def test_includes_are_read_from_the_folder_of_the_case(tmp_path):
    (tmp_path / "part.hocon").write_text("b: 2\nc: ${b}")
    root = parsed('a { include "part.hocon" }\ninclude required(file("part"))\nb: 3', folder=tmp_path)
    assert root == {"a": {"b": 2, "c": 2}, "b": 3, "c": 3}
    assert root.files["c"].endswith("part.hocon")


def test_nothing_outside_the_folder_is_included(tmp_path):
    (tmp_path / "secret").write_text("a: 1")
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "link.hocon").symlink_to(tmp_path / "secret")
    for name in ("../secret", str(tmp_path / "secret"), "link.hocon"):
        assert "outside the case's folder" in problem(f'include "{name}"', folder=folder)


def test_urls_missing_files_and_circles_are_refused(tmp_path):
    assert "only files" in problem('include url("http://127.0.0.1/x")', folder=tmp_path)
    assert "does not exist" in problem('include "no"', folder=tmp_path)
    (tmp_path / "case.hocon").write_text('include "case.hocon"')
    assert "includes itself" in problem('include "case.hocon"', folder=tmp_path)
    assert "may not include" in problem('include "x"')


def test_texts_that_explode_are_refused():
    lines = ["a0 = [1, 2, 3, 4]"] + [f"a{n + 1} = [${{a{n}}}, ${{a{n}}}]" for n in range(40)]
    assert "too large" in problem("\n".join(lines))
    assert "longer than" in problem("a: 1", limits=HoconLimits(characters=3))


def test_a_repeated_key_is_kept_last_and_warned_of():
    document = parse_hocon("a { keywords: x\n keywords: y }", "case.hocon")
    assert document.root == {"a": {"keywords": "y"}}
    assert "given twice (first in line 1)" in str(document.warnings[0])


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=5), st.sampled_from([None, 2]))
def test_json_is_hocon(value, indent):
    assert parsed(json.dumps(value, indent=indent)) == value


@given(st.text(alphabet='{}[]",:=+$ \n#/\\ab1?.', max_size=40))
def test_any_text_is_read_or_refused_with_a_line(text):
    assert all(one.line > 0 for one in problems_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "a.b.c=1\na={b={d=2}}",
        "a={b:1}\na=null\na={c:2}",
        "a={c:1}\nb=${a}\nb={d:1}",
        "a={k=[1]}\na.k+=3",
        "a: {} {x:1}",
    ],
)
def test_it_agrees_with_another_parser(text):
    hocon = pytest.importorskip("hocon", reason="the other parser is not installed")
    if not hasattr(hocon, "parse"):
        pytest.skip("another package of this name is installed")
    assert hocon.parse(text, env={}) == parsed(text)

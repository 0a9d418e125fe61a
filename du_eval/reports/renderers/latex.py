"""The tables of a view for LaTeX, with the package booktabs."""

from __future__ import annotations

from collections.abc import Iterator

from du_eval.reports.numbers import show_cell
from du_eval.reports.renderers.sheets import tabulate
from du_eval.reports.sections import Look, Section, Table, View
from du_eval.reports.visible import make_visible

_SIGNS = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    "–": "--",
    "…": r"\ldots{}",
}
_NUMBERS = {Look.NUMBER, Look.SHARE}


def render_latex(view: View) -> str:
    """Return the tables that people look at, one below the other, under what they depend on."""
    tables = [table for section in view.sections if (table := _find_table(section)) and table.rows]
    return (
        "\n".join(
            [f"% {make_visible(view.signature)}", *(line for one in tables for line in _list_lines(one))]
        )
        + "\n"
    )


def _find_table(section: Section) -> Table | None:
    if isinstance(section, Table):
        return None if section.is_minor else section
    return tabulate(section)


def _list_lines(table: Table) -> Iterator[str]:
    yield rf"\par\medskip\noindent {escape_latex(table.title)}\par\smallskip"
    looks = [column.look for column in table.columns]
    yield rf"\begin{{tabular}}{{{''.join('r' if look in _NUMBERS else 'l' for look in looks)}}}"
    yield r"\toprule"
    yield " & ".join(escape_latex(column.name) for column in table.columns) + r" \\"
    yield r"\midrule"
    for row in table.rows:
        cells = (show_cell(cell, look) for cell, look in zip(row, looks, strict=True))
        yield " & ".join(map(escape_latex, cells)) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    if table.remark:
        yield rf"\par\smallskip {escape_latex(table.remark)}"


def escape_latex(text: str) -> str:
    """Return LaTeX that shows a text as it is, in one line."""
    return "".join(_SIGNS.get(character, character) for character in make_visible(text))

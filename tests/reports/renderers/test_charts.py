"""Curves and bars as pictures."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from du_eval.reports.renderers.charts import draw_png, draw_svg, list_charts
from du_eval.reports.sections import Bars, Curve, Point
from du_eval.statistics.intervals import Interval, Measurement
from tests.reports.viewed import make_view

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>x</script> $a$ & \u202e \x00"


def test_a_picture_holds_every_chart_with_its_points_and_whiskers() -> None:
    root = ET.fromstring(draw_svg(list_charts(make_view()), "whiskers: 95 % intervals"))
    assert len(root.findall(f"{SVG}g")) == 2
    assert len(root.findall(f".//{SVG}circle")) == 6
    assert len(root.findall(f".//{SVG}polyline")) == 2
    texts = [one.text for one in root.iter(f"{SVG}text")]
    assert {"Robustness", "level", "accuracy", "typos", "swaps", "Latency", "0–1 s", "1–2 s"} <= set(texts)
    assert texts[-1] == "whiskers: 95 % intervals"


def test_a_higher_value_lies_higher() -> None:
    root = ET.fromstring(draw_svg(list_charts(make_view())))
    heights = [float(one.get("cy", "")) for one in root.iter(f"{SVG}circle")][:4]
    assert heights == sorted(heights)
    assert len(set(heights)) == 4


def test_what_was_not_measured_is_not_drawn() -> None:
    nothing = Curve(
        "none", "x", "y", (("one", (Point(1, Measurement(None, 0)), Point(2, Measurement(float("inf"), 1)))),)
    )
    assert list_charts(make_view(sections=(nothing, Bars("none", (), ())))) == []
    single = replace(
        nothing, series=(("one", (*nothing.series[0][1], Point(3, Measurement(7, 1)))),), is_share=False
    )
    assert len(ET.fromstring(draw_svg([single])).findall(f".//{SVG}circle")) == 1


def test_labels_without_room_are_left_out() -> None:
    bars = Bars("many", tuple(f"label number {at}" for at in range(30)), (1,) * 30)
    texts = [one.text for one in ET.fromstring(draw_svg([bars])).iter(f"{SVG}text")]
    labels = [text for text in texts if text and text.startswith("label")]
    assert 2 <= len(labels) <= 6


def test_long_names_are_cut_where_they_would_run_into_others() -> None:
    points = (Point(1, Measurement(0.5, 3), "11-18 06:24\nthe whole story"),)
    series = tuple((f"a model with a long name and prompt {at}", points) for at in range(5))
    root = ET.fromstring(draw_svg([Curve("t" * 200, "run", "suite " * 40, series)] * 2))
    panel = root.find(f"{SVG}g")
    assert panel is not None
    texts = list(panel.iter(f"{SVG}text"))
    assert max(len(one.text or "") for one in texts) < 75
    names = [one for one in texts if (one.text or "").startswith("a model")]
    assert len({(one.get("x"), one.get("y")) for one in names}) == 5
    assert all(len(one.text or "") < 32 for one in names)
    assert "11-18 06:24" in {one.text for one in texts}
    assert float(root.get("height", "0")) >= max(float(one.get("y", "0")) for one in texts)


def test_foreign_texts_stay_texts_in_both_forms() -> None:
    point = Point(1, Measurement(0.5, 3, Interval(0.2, 0.8)), HOSTILE)
    charts = [
        Curve(HOSTILE, HOSTILE, HOSTILE, ((HOSTILE, (point,)), ("b", (point,)))),
        Bars(HOSTILE, (HOSTILE,), (2,), HOSTILE),
    ]
    root = ET.fromstring(draw_svg(charts, HOSTILE))
    assert root.find(".//script") is None
    pytest.importorskip("matplotlib")
    assert draw_png([*charts, *list_charts(make_view())], HOSTILE).startswith(b"\x89PNG")

"""An experiment says first which arm is which, and names its pictures after what they show."""

from __future__ import annotations

from du_eval.experiments.figures import COST, MEDIAN
from du_eval.experiments.record import Arm, Experiment
from du_eval.reports.arm_sections import Trades
from du_eval.reports.sections import Note, Table
from du_eval.reports.views.experiment import view_experiment
from du_eval.runs.figures import Figure
from du_eval.runs.record import Status
from du_eval.statistics.intervals import Measurement


def make_arm(name: str, accuracy: float) -> Arm:
    figures = (
        Figure("accuracy", Measurement(accuracy, 100)), Figure(COST, Measurement(1.5, 100)),
        Figure(MEDIAN, Measurement(0.2, 100), unit="seconds"),
    )  # fmt: skip
    return Arm(name, status=Status.FINISHED, steps=100, figures=figures)


def make_experiment() -> Experiment:
    arms = (make_arm("small, short", 0.8), make_arm("large, short", 0.9), make_arm("large, long", 0.9))
    return Experiment("1", "x", arms[0].name, arms, best=arms[1].name, rivals=(arms[0].name, arms[2].name))


def test_the_standing_of_an_arm_stands_beside_its_name() -> None:
    table = next(one for one in view_experiment(make_experiment(), []).sections if isinstance(one, Table))
    assert [column.name for column in table.columns][:3] == ["arm", "standing", "accuracy"]
    assert [row[:2] for row in table.rows] == [
        ("large, short", "best"),
        ("large, long", "not distinguishable"),
        ("small, short", "not distinguishable, baseline"),
    ]


def test_names_with_commas_can_be_told_apart_and_pictures_have_whole_titles() -> None:
    view = view_experiment(make_experiment(), [])
    told = [one.text for one in view.sections if isinstance(one, Note)]
    assert "Not distinguishable from it: small, short; large, long." in told[0]
    titles = [one.title for one in view.sections if isinstance(one, Trades)]
    assert titles == ["Accuracy and cost", "Accuracy and latency"]

"""The manner of neuro-san: what its tool for agent cases does otherwise than its document says."""

from __future__ import annotations

from du_eval.agents.model import AgentManner

NEURO_SAN = AgentManner("neuro_san_compat", swaps_order=True, cuts_after=True)

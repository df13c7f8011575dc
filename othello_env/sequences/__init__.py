"""Sequence models of games: sequences of tokens with labels, and what a model knows."""

from othello_env.sequences.interventions import Cases, Interventions, draw_cases, measure_interventions
from othello_env.sequences.labels import Sequences, SequenceStream, legal_tokens, sequences
from othello_env.sequences.metrics import SequenceReport, Share, alpha_scores, measure_sequences
from othello_env.sequences.probes import Probe, ProbeReport, fit_probe, measure_probes

__all__ = [
    "Cases",
    "Interventions",
    "Probe",
    "ProbeReport",
    "SequenceReport",
    "SequenceStream",
    "Sequences",
    "Share",
    "alpha_scores",
    "draw_cases",
    "fit_probe",
    "legal_tokens",
    "measure_interventions",
    "measure_probes",
    "measure_sequences",
    "sequences",
]

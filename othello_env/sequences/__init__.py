"""Sequence models of games: sequences of tokens with labels, and what a model knows."""

from othello_env.sequences.labels import Sequences, SequenceStream, legal_tokens, sequences, square_accuracy
from othello_env.sequences.metrics import SequenceReport, Share, measure_sequences

__all__ = [
    "SequenceReport",
    "SequenceStream",
    "Sequences",
    "Share",
    "legal_tokens",
    "measure_sequences",
    "sequences",
    "square_accuracy",
]

"""A sequence model in JAX is measured like one in NumPy."""

import numpy as np
import pytest

jnp = pytest.importorskip("jax.numpy", reason="JAX is an optional extra")

from othello_env.sequences import measure_sequences  # noqa: E402


def test_a_model_of_jax_is_measured():
    numbers = np.random.default_rng(3).normal(size=(13, 13)).astype(np.float32)
    one, two = (
        measure_sequences(model, games=10, pairs=5, game="othello:size=4").row()
        for model in (lambda rows: numbers[rows], lambda rows: jnp.asarray(numbers)[rows])
    )
    assert one == two

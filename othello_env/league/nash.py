"""Nash averaging: find a mixture (a probability for each member) that no member beats.

Balduzzi et al. (Re-evaluating evaluation, NeurIPS 2018) describe the comparison of agents as a game between two people.
Each person chooses an agent, and these two agents play. The Nash equilibrium of this game gives each agent a
probability, its share. An agent that beats only weak agents gets no share, even if there are many weak agents. There
may be several equilibria. This module takes the equilibrium with the largest entropy, because it gives equal shares to
agents with equal results.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from othello_env.support.extras import import_extra

__all__ = ["nash"]

_CLOSE = 1e-6


def nash(payoffs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Find a Nash equilibrium of a symmetric game for two players.

    If there are several equilibria, the result is the one with the largest entropy.

    SciPy (the extra ``league``) first finds an equilibrium with a linear program. Then SciPy maximises the entropy. If
    the maximisation fails, the result is the equilibrium of the linear program.

    Args:
        payoffs: (M, M) float64, for M members. Entry [i, j] is the gain of member i against member j. It must be minus
            entry [j, i].

    Returns:
        (M,) float64, a probability for each member. The probabilities add up to 1. Against an opponent that is drawn
        with these probabilities, no member has an average gain above 0.

    Raises:
        MissingExtraError: SciPy is not installed.
        ValueError: the matrix is not antisymmetric, or the linear program found no equilibrium.
    """
    if not np.allclose(payoffs, -payoffs.T, atol=_CLOSE):
        raise ValueError("expected an antisymmetric matrix: the gain of one member must be the loss of the other")
    optimize = import_extra("scipy.optimize", "league")
    m = len(payoffs)
    simplex = np.ones((1, m))
    found = optimize.linprog(
        np.zeros(m), A_ub=payoffs, b_ub=np.zeros(m), A_eq=simplex, b_eq=[1.0], bounds=(0, 1), method="highs"
    )
    if not found.success:
        raise ValueError(f"no equilibrium was found: {found.message}")
    even = optimize.minimize(
        lambda p: float(np.sum(p * np.log(np.maximum(p, 1e-300)))),
        np.clip(found.x, 0, 1),
        jac=lambda p: np.log(np.maximum(p, 1e-12)) + 1,
        bounds=[(0, 1)] * m,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: simplex[0]},
            {"type": "ineq", "fun": lambda p: -payoffs @ p, "jac": lambda p: -payoffs},
        ],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    best = np.clip(even.x, 0, None)
    if not even.success or (payoffs @ best).max() > _CLOSE or abs(best.sum() - 1) > _CLOSE:
        best = np.clip(found.x, 0, None)
    return np.asarray(best / best.sum())

"""New networks by name."""

import pytest

pytest.importorskip("torch", reason="networks need PyTorch, an optional extra")

from othello_agents.network import CustomNetwork, ResidualNetwork, make_network


def test_networks_by_name():
    assert isinstance(make_network("residual", 4), ResidualNetwork)
    assert isinstance(make_network("afterstates", 4), CustomNetwork)
    with pytest.raises(ValueError, match="expected a function as"):
        make_network("residuals", 4)

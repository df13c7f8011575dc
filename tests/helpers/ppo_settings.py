"""Settings of a PPO run of a few seconds, for several tests of PPO."""

SMALL = {
    "size": 4,
    "network": "residual",
    "channels": 4,
    "blocks": 1,
    "games": 12,
    "steps": 16,
    "minibatch": 64,
    "snapshot": 1,
    "past": 2,
}

"""Networks for the tests: functions that make ``(apply, params)`` for a board's size."""


def linear(size):
    """Logits and values by one layer."""
    import jax  # here, since pytest imports this file even if there is no JAX

    shape = 2 * size**2
    keys = jax.random.split(jax.random.key(7), 2)
    params = {
        "policy": {"kernel": jax.random.normal(keys[0], (shape, size**2 + 1))},
        "value": [jax.random.normal(keys[1], (shape,)) / 9, jax.numpy.float32(0.1)],
    }
    return apply, params


def apply(params, observations):
    import jax.numpy as jnp

    x = observations.reshape(len(observations), -1).astype(jnp.float32)
    return x @ params["policy"]["kernel"], jnp.tanh(x @ params["value"][0] + params["value"][1])


def only_logits(params, observations):
    return apply(params, observations)[0]

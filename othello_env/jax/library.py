"""JAX and its NumPy, or an error that names the extra which installs them."""

from othello_env.support.extras import import_extra

__all__ = ["jax", "jnp"]

jax = import_extra("jax", "jax")
jnp = jax.numpy

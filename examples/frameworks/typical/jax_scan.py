# SPDX-License-Identifier: MIT
"""JAX: jax.lax.scan simulates many steps on the device; the host reads one number
after each hundred."""
import jax
import jax.numpy as jnp


@jax.jit
def simulate(state, key):
    def step(state, key):
        force = -jnp.tanh(state) + 0.1 * jax.random.normal(key, state.shape)
        state = state + 0.01 * force
        return state, (state ** 2).mean()
    return jax.lax.scan(step, state, jax.random.split(key, 100))


state = jnp.ones((1024, 1024))
for i in range(24):
    state, energy = simulate(state, jax.random.key(i))
    print(i, float(energy[-1]))

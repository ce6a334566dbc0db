# SPDX-License-Identifier: MIT
"""JAX: a jitted training step, on batches of numpy that are put on the device."""
import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, x, y):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return ((x @ w + b - y) ** 2).mean()


@jax.jit
def train_step(params, x, y):
    loss, grads = jax.value_and_grad(loss_of)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), loss


rng = np.random.default_rng(0)
sizes = [1024, 1024, 1024, 16]
params = [(jnp.asarray(rng.normal(0, 0.03, (a, b)), jnp.float32), jnp.zeros(b))
          for a, b in zip(sizes, sizes[1:])]
data = [(rng.random((2048, 1024), np.float32), rng.random((2048, 16), np.float32))
        for _ in range(8)]
for i in range(12):
    x, y = (jax.device_put(part) for part in data[i % 8])
    params, loss = train_step(params, x, y)
    loss.block_until_ready()
print("loss", float(loss))

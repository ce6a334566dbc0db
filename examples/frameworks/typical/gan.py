# SPDX-License-Identifier: MIT
"""A GAN of two small networks, each with its optimizer."""
import torch
from torch import nn


def network(*sizes):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1]).cuda()


generator = network(64, 256, 512, 784)
critic = network(784, 512, 256, 1)
of_generator = torch.optim.Adam(generator.parameters(), 2e-4)
of_critic = torch.optim.Adam(critic.parameters(), 2e-4)
criterion = nn.BCEWithLogitsLoss()
images = torch.rand(20 * 128, 784)
real, fake = torch.ones(128, 1).cuda(), torch.zeros(128, 1).cuda()
for i, batch in enumerate(images.split(128)):
    batch = batch.to("cuda")
    made = generator(torch.randn(128, 64, device="cuda"))
    of_critic.zero_grad()
    loss_critic = (criterion(critic(batch), real)
                   + criterion(critic(made.detach()), fake))
    loss_critic.backward()
    of_critic.step()
    of_generator.zero_grad()
    loss_generator = criterion(critic(made), real)
    loss_generator.backward()
    of_generator.step()
    if i % 8 == 0:
        print(i, f"{loss_critic.item():.3f} {loss_generator.item():.3f}")

# SPDX-License-Identifier: MIT
"""A ResNet of torchvision classifies batches of images."""
import torch
import torchvision

model = torchvision.models.resnet18(weights=None).cuda().eval()
mean = torch.tensor([0.485, 0.456, 0.406], device="cuda").view(1, 3, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225], device="cuda").view(1, 3, 1, 1)
images = torch.randint(256, (512, 3, 224, 224), dtype=torch.uint8)
labels = []
with torch.no_grad():
    for epoch in range(3):
        for batch in images.split(32):
            x = (batch.to("cuda").float() / 255 - mean) / std
            labels.append(model(x).argmax(1).cpu())
print(torch.cat(labels).float().mean().item())

# SPDX-License-Identifier: MIT
"""Images from a DataLoader train a small convolutional network."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, count):
        self.images = torch.randint(256, (256, 3, 96, 96), dtype=torch.uint8)
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.images[index % 256].float() / 255, index % 10


def block(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1),
                         nn.BatchNorm2d(outputs), nn.ReLU())


def main(workers, pin):
    torch.manual_seed(0)
    model = nn.Sequential(block(3, 64), block(64, 64), nn.MaxPool2d(2),
                          block(64, 128), block(128, 128), nn.MaxPool2d(2),
                          block(128, 256), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(256, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    loader = DataLoader(Images(40 * 128), batch_size=128, shuffle=True,
                        num_workers=workers, pin_memory=pin)
    total = 0.0
    for images, labels in loader:
        images = images.to("cuda", non_blocking=pin)
        labels = labels.to("cuda", non_blocking=pin)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] == ["pin"])

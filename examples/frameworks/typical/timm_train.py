# SPDX-License-Identifier: MIT
"""A vision transformer of timm, trained with automatic mixed precision."""
import timm
import torch

model = timm.create_model("vit_tiny_patch16_224", num_classes=10,
                          depth=2).cuda()
optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
scaler = torch.amp.GradScaler("cuda")
criterion = torch.nn.CrossEntropyLoss()
images, labels = torch.randn(512, 3, 224, 224), torch.randint(10, (512,))
for epoch in range(2):
    for first in range(0, 512, 64):
        x = images[first:first + 64].cuda()
        y = labels[first:first + 64].cuda()
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(epoch, f"{loss.item():.3f}")

# SPDX-License-Identifier: MIT
"""A small BERT of transformers learns to classify, with accelerate."""
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
config = BertConfig(vocab_size=8192, hidden_size=256, num_hidden_layers=2,
                    num_attention_heads=4, intermediate_size=1024)
data = [{"input_ids": torch.randint(8192, (64,)),
         "attention_mask": torch.ones(64, dtype=torch.int64),
         "labels": torch.tensor(i % 2)} for i in range(16 * 14)]
accelerator = Accelerator()
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
model, optimizer, loader = accelerator.prepare(
    model, optimizer, DataLoader(data, batch_size=16, shuffle=True))
model.train()
total = 0.0
for batch in loader:
    optimizer.zero_grad()
    loss = model(**batch).loss
    accelerator.backward(loss)
    optimizer.step()
    total += loss.item()
print(f"loss {total / len(loader):.3f}")

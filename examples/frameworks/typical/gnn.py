# SPDX-License-Identifier: MIT
"""A graph convolutional network of PyTorch Geometric, on a whole small graph."""
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GCNConv(1433, 16)
        self.second = GCNConv(16, 7)

    def forward(self, data):
        x = self.first(data.x, data.edge_index).relu()
        return self.second(x, data.edge_index)


torch.manual_seed(0)
data = Data(x=torch.rand(2708, 1433), edge_index=torch.randint(2708, (2, 10556)),
            y=torch.randint(7, (2708,)), train=torch.rand(2708) < 0.1).to("cuda")
model = Net().to("cuda")
optimizer = torch.optim.Adam(model.parameters(), 0.01, weight_decay=5e-4)
for epoch in range(24):
    optimizer.zero_grad()
    out = model(data)
    loss = torch.nn.functional.cross_entropy(out[data.train], data.y[data.train])
    loss.backward()
    optimizer.step()
    right = (out.argmax(1) == data.y).float().mean()
    if epoch % 10 == 0:
        print(epoch, float(loss), float(right))

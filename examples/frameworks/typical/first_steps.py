# SPDX-License-Identifier: MIT
"""Times the programs of PyTorch here as they are, and with the first step taken that
the report or an engineer has for them: ms per step, of turns of each way."""
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from turns import measured


def timed(step, steps):
    """Returns ms per step."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for i in range(steps):
        step(i)
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / steps * 1e3


def compare(steps, warm_up=5, **ways):
    for step in ways.values():
        timed(step, warm_up)
    return measured(ways, steps, timed)


def graph_of(work):
    """Captures work() once, after three turns on a side stream."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = work()
    return graph, out


def to_cuda(parts, pinned):
    return [part.to("cuda", non_blocking=pinned) for part in parts]


def trains(work, batches, steps):
    """A training step on pageable and on pinned batches."""
    pinned = [[part.pin_memory() for part in batch] for batch in batches]
    count = len(batches)
    return compare(
        steps, pageable=lambda i: work(*to_cuda(batches[i % count], False)),
        pinned=lambda i: work(*to_cuda(pinned[i % count], True)))


def encoder():
    model = nn.Sequential(nn.TransformerEncoder(
        nn.TransformerEncoderLayer(512, 8, 1024, batch_first=True), 2),
        nn.Flatten(), nn.Linear(128 * 512, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    signals, labels = torch.randn(512, 128, 512), torch.randint(10, (512,))
    order = torch.randperm(512)

    def way(pinned):
        def step(i):
            chosen = order[i % 8 * 64:i % 8 * 64 + 64]
            batch = signals[chosen], labels[chosen]
            x, y = to_cuda([p.pin_memory() for p in batch] if pinned else batch,
                           pinned)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        return step
    return compare(32, pageable=way(False), pinned=way(True))


def timm_train():
    import timm
    model = timm.create_model("vit_tiny_patch16_224", num_classes=10,
                              depth=2).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    scaler = torch.amp.GradScaler("cuda")
    images, labels = torch.randn(512, 3, 224, 224), torch.randint(10, (512,))

    def work(x, y):
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return trains(work, list(zip(images.split(64), labels.split(64))), 16)


def profiled():
    model = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 2048),
                          nn.ReLU(), nn.Linear(2048, 1024)).cuda()
    optimizer = torch.optim.Adam(model.parameters())

    def work(x):
        optimizer.zero_grad()
        (model(x) - x).square().mean().backward()
        optimizer.step()
    return trains(work, [[x] for x in torch.randn(32, 2048, 1024)], 32)


def answers(model, batches, count, steps, shape, **more):
    """Predictions for batches of the host, which go back to it."""
    pinned = [batch.pin_memory() for batch in batches]
    out = torch.empty(shape, pin_memory=True)

    @torch.inference_mode()
    def pageable_step(i):
        model(batches[i % count].to("cuda")).cpu()

    @torch.inference_mode()
    def pinned_step(i):
        out.copy_(model(pinned[i % count].to("cuda", non_blocking=True)),
                  non_blocking=True)
        torch.cuda.synchronize()
    return compare(steps, pageable=pageable_step, pinned=pinned_step, **more)


def cnn_inference():
    import torchvision
    model = torchvision.models.resnet18(weights=None).cuda().eval()
    mean, std = torch.rand(2, 1, 3, 1, 1, device="cuda") + 0.1
    images = torch.randint(256, (512, 3, 224, 224), dtype=torch.uint8)
    return answers(lambda x: model((x.float() / 255 - mean) / std).argmax(1),
                   images.split(32), 16, 48, 32)


def embedding():
    table = nn.EmbeddingBag(1_000_000, 64, mode="mean").cuda()
    return answers(table, torch.randint(1_000_000, (8, 16384, 32)), 8, 64,
                   (16384, 64))


def compiled():
    layers = nn.ModuleList(nn.Linear(1024, 1024) for _ in range(6)).cuda().eval()
    torch.set_float32_matmul_precision("high")

    @torch.compile
    def model(x):
        for layer in layers:
            x = x + nn.functional.silu(layer(x))
        return x
    return answers(lambda x: model(x).mean(1), torch.randn(8, 2048, 1024), 8, 48,
                   2048)


def triton_softmax():
    from triton_softmax import softmax
    return answers(softmax, torch.randn(6, 4096, 1000), 6, 36, (4096, 1000))


def threads():
    model = nn.Sequential(nn.Linear(2048, 4096), nn.ReLU(),
                          nn.Linear(4096, 2048)).cuda().eval()
    requests = [torch.randn(512, 2048) for _ in range(96)]
    pinned = [request.pin_memory() for request in requests]
    outs = [torch.empty(512, 2048, pin_memory=True) for _ in range(96)]
    pool = ThreadPoolExecutor(4)

    @torch.inference_mode()
    def one(i):
        return model(requests[i].to("cuda")).cpu()

    @torch.inference_mode()
    def other(i):
        return outs[i].copy_(model(pinned[i].to("cuda", non_blocking=True)))
    return compare(3, 1, pageable=lambda _: list(pool.map(one, range(96))),
                   pinned=lambda _: list(pool.map(other, range(96))))


def images(workers):
    from images import Images, block
    from torch.utils.data import DataLoader
    model = nn.Sequential(block(3, 64), block(64, 64), nn.MaxPool2d(2),
                          block(64, 128), block(128, 128), nn.MaxPool2d(2),
                          block(128, 256), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(256, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()

    def loader(pin):
        return iter(DataLoader(Images(80 * 128), batch_size=128, shuffle=True,
                               num_workers=workers, pin_memory=pin))

    def work(x, y):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    def plain(pin):
        batches = loader(pin)
        return lambda _: work(*to_cuda(next(batches), pin)).item()

    def double():
        batches, following = loader(True), []

        def copy():
            with torch.cuda.stream(side):
                following.append(to_cuda(next(batches), True))

        def step(_):
            if not following:
                copy()
            main.wait_stream(side)
            batch = following.pop()
            for part in batch:
                part.record_stream(main)
            loss = work(*batch)
            copy()
            loss.item()
        return step
    return compare(20, pageable=plain(False), pinned=plain(True), double=double())


def lightning():
    import logging
    import pytorch_lightning as pl
    from torch.utils.data import DataLoader, TensorDataset
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    data = TensorDataset(torch.randn(64 * 64, 784), torch.randint(10, (64 * 64,)))

    class Classifier(pl.LightningModule):
        def __init__(self, graph):
            super().__init__()
            self.model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(),
                                       nn.Linear(256, 128), nn.ReLU(),
                                       nn.Linear(128, 10))
            self.graph, self.begins = graph, []

        def on_train_start(self):
            if self.graph:
                self.model = torch.cuda.make_graphed_callables(
                    self.model, (torch.randn(64, 784, device="cuda"),))

        def on_train_batch_start(self, batch, index):
            self.begins.append(time.perf_counter())

        def training_step(self, batch, index):
            x, y = batch
            return nn.functional.cross_entropy(self.model(x), y)

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), 1e-3)

    def turn(graph):
        module = Classifier(graph)
        pl.Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False,
                   enable_checkpointing=False, enable_progress_bar=False,
                   enable_model_summary=False).fit(
                       module, DataLoader(data, batch_size=64, shuffle=True))
        return round((module.begins[-1] - module.begins[8])
                     / (len(module.begins) - 9) * 1e3, 4)
    times = measured({"eager": False, "graph": True}, 64,
                     lambda graph, _: turn(graph))
    return times | ({"steps": 64} if "steps" in times else {})


def gan():
    def network(*sizes):
        layers = []
        for inputs, outputs in zip(sizes, sizes[1:]):
            layers += [nn.Linear(inputs, outputs), nn.LeakyReLU(0.2)]
        return nn.Sequential(*layers[:-1]).cuda()

    criterion = nn.BCEWithLogitsLoss()
    batches = torch.rand(20 * 128, 784).split(128)
    real, fake = torch.ones(128, 1).cuda(), torch.zeros(128, 1).cuda()

    def of(**more):
        generator = network(64, 256, 512, 784)
        critic = network(784, 512, 256, 1)
        of_generator = torch.optim.Adam(generator.parameters(), 2e-4, **more)
        of_critic = torch.optim.Adam(critic.parameters(), 2e-4, **more)

        def work(batch):
            made = generator(torch.randn(128, 64, device="cuda"))
            of_critic.zero_grad()
            loss = (criterion(critic(batch), real)
                    + criterion(critic(made.detach()), fake))
            loss.backward()
            of_critic.step()
            of_generator.zero_grad()
            other = criterion(critic(made), real)
            other.backward()
            of_generator.step()
            return loss, other
        return work
    work, captured = of(), of(capturable=True)
    fixed = batches[0].cuda()
    graph, losses = graph_of(lambda: captured(fixed))

    def read(i, both):
        if i % 8 == 0:
            for loss in both:
                loss.item()

    def graph_step(i):
        fixed.copy_(batches[i % 20])
        graph.replay()
        read(i, losses)
    return compare(40, eager=lambda i: read(i, work(batches[i % 20].to("cuda"))),
                   graph=graph_step)


def accumulate():
    x, y = torch.randn(16, 128, 256).cuda(), torch.randn(16, 128, 1).cuda()

    def of(**more):
        model = nn.Sequential(*[layer for _ in range(8) for layer in
                                (nn.Linear(256, 256), nn.LayerNorm(256),
                                 nn.GELU())], nn.Linear(256, 1)).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-4, **more)

        def work(x, y):
            loss = (model(x) - y).square().mean() / 4
            loss.backward()
            return loss
        return optimizer, work
    optimizer, work = of()
    other, captured = of(capturable=True)
    fixed = x[0].clone(), y[0].clone()
    graph, loss = graph_of(lambda: captured(*fixed))

    def update():
        other.step()
        other.zero_grad(set_to_none=False)
    updates, _ = graph_of(update)

    def eager_step(i):
        work(x[i % 16], y[i % 16]).item()
        if i % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()

    def graph_step(i):
        fixed[0].copy_(x[i % 16])
        fixed[1].copy_(y[i % 16])
        graph.replay()
        loss.item()
        if i % 4 == 3:
            updates.replay()
    return compare(64, eager=eager_step, graph=graph_step)


def gnn():
    from torch_geometric.nn import GCNConv
    x, edges = torch.rand(2708, 1433).cuda(), torch.randint(2708, (2, 10556)).cuda()
    y, train = torch.randint(7, (2708,)).cuda(), (torch.rand(2708) < 0.1).cuda()
    index = train.nonzero()[:, 0]

    def of(chosen, cached, **more):
        first = GCNConv(1433, 16, cached=cached).cuda()
        second = GCNConv(16, 7, cached=cached).cuda()
        optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()],
                                     0.01, weight_decay=5e-4, **more)

        def work():
            optimizer.zero_grad()
            out = second(first(x, edges).relu(), edges)
            loss = nn.functional.cross_entropy(out[chosen], y[chosen])
            loss.backward()
            optimizer.step()
            return loss, (out.argmax(1) == y).float().mean()
        return work
    work = of(train, False)
    graph, out = graph_of(of(index, True, capturable=True))

    def read(i, both):
        if i % 10 == 0:
            for part in both:
                float(part)

    def graph_step(i):
        graph.replay()
        read(i, out)
    return compare(60, eager=lambda i: read(i, work()), graph=graph_step)


def bert_accelerate():
    from transformers import BertConfig, BertForSequenceClassification
    config = BertConfig(vocab_size=8192, hidden_size=256, num_hidden_layers=2,
                        num_attention_heads=4, intermediate_size=1024)
    batches = [{"input_ids": torch.randint(8192, (16, 64)),
                "attention_mask": torch.ones(16, 64, dtype=torch.int64),
                "labels": torch.randint(2, (16,))} for _ in range(14)]

    def of(**more):
        model = BertForSequenceClassification(config).cuda().train()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-4, **more)

        def work(batch):
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            return loss
        return work
    work, captured = of(), of(capturable=True)
    fixed = {name: part.cuda() for name, part in batches[0].items()}
    graph, loss = graph_of(lambda: captured(fixed))

    def eager_step(i):
        work({n: p.to("cuda") for n, p in batches[i % 14].items()}).item()

    def graph_step(i):
        for name, part in batches[i % 14].items():
            fixed[name].copy_(part)
        graph.replay()
        loss.item()
    return compare(28, eager=eager_step, graph=graph_step)


@torch.no_grad()
def llama_decode():
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache
    config = LlamaConfig(vocab_size=8192, hidden_size=512, intermediate_size=1536,
                         num_hidden_layers=2, num_attention_heads=8,
                         num_key_value_heads=8, max_position_embeddings=512)
    model = LlamaForCausalLM(config).to("cuda").eval()
    ids = torch.randint(8192, (1, 32)).to("cuda")

    def generate(_):
        model.generate(ids, attention_mask=torch.ones_like(ids),
                       max_new_tokens=24, min_new_tokens=24, do_sample=False,
                       pad_token_id=0)
    cache = StaticCache(config=config, max_cache_len=64)
    token = model(ids, past_key_values=cache).logits[:, -1:].argmax(-1)

    def work():
        token.copy_(model(token, past_key_values=cache).logits[:, -1:].argmax(-1))
    graph, _ = graph_of(work)

    def step(i):
        if i % 24 == 0:
            for layer in cache.layers:
                layer.cumulative_length.fill_(32)
        graph.replay()
        token.item()
    timed(generate, 2)
    timed(step, 24)
    return measured({"generate": generate, "graph": step}, 96,
                    lambda way, steps: timed(way, steps // 24) / 24
                    if way == generate else timed(way, steps))


def offload_activations():
    torch.backends.cuda.matmul.allow_tf32 = True
    model = nn.Sequential(*[layer for _ in range(3) for layer in
                            (nn.Linear(4096, 4096), nn.GELU())]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    x = torch.randn(2048, 4096, device="cuda")
    side, out, main = (torch.cuda.Stream(), torch.cuda.Stream(),
                       torch.cuda.current_stream())

    class Prefetch(torch.autograd.graph.saved_tensors_hooks):
        """save_on_cpu whose copies in come one tensor ahead, on a side stream, and
        whose copies out are on another one."""

        def __init__(self):
            self.saved, self.ready = [], {}
            super().__init__(self.pack, self.unpack)

        def pack(self, tensor):
            host = torch.empty(tensor.size(), dtype=tensor.dtype, pin_memory=True)
            out.wait_stream(main)
            with torch.cuda.stream(out):
                host.copy_(tensor, non_blocking=True)
            tensor.record_stream(out)
            self.saved.append(host)
            return len(self.saved) - 1

        def fetch(self, index):
            if index >= 0 and index not in self.ready:
                side.wait_stream(out)
                with torch.cuda.stream(side):
                    self.ready[index] = (
                        self.saved[index].to("cuda", non_blocking=True),
                        side.record_event())

        def unpack(self, index):
            self.fetch(index)
            tensor, copied = self.ready.pop(index)
            main.wait_event(copied)
            tensor.record_stream(main)
            self.fetch(index - 1)
            return tensor

    def way(hooks):
        def step(_):
            optimizer.zero_grad()
            with hooks():
                loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
        return step
    return compare(
        24, plain=way(lambda: torch.autograd.graph.save_on_cpu(pin_memory=True)),
        both=way(Prefetch))


def offload_optimizer():
    model = nn.Sequential(*[nn.Linear(2048, 2048, bias=False)
                            for _ in range(8)]).cuda()
    moments = [[torch.zeros(p.shape, pin_memory=True) for _ in range(2)]
               for p in model.parameters()]
    x = torch.randn(256, 2048, device="cuda")
    side, out, main = (torch.cuda.Stream(), torch.cuda.Stream(),
                       torch.cuda.current_stream())

    @torch.no_grad()
    def adam(parameter, m, v, rate=1e-4):
        m.lerp_(parameter.grad, 0.1)
        v.mul_(0.999).addcmul_(parameter.grad, parameter.grad, value=0.001)
        parameter.addcdiv_(m, v.sqrt().add_(1e-8), value=-rate)

    @torch.no_grad()
    def one_stream(parameters):
        for parameter, hosts in zip(parameters, moments):
            parts = to_cuda(hosts, True)
            adam(parameter, *parts)
            for host, part in zip(hosts, parts):
                host.copy_(part, non_blocking=True)

    @torch.no_grad()
    def streams(parameters):
        def fetch(k):
            with torch.cuda.stream(side):
                return to_cuda(moments[k], True), side.record_event()
        following = fetch(0)
        for k, parameter in enumerate(parameters):
            parts, copied = following
            if k + 1 < len(parameters):
                following = fetch(k + 1)
            main.wait_event(copied)
            adam(parameter, *parts)
            out.wait_stream(main)
            with torch.cuda.stream(out):
                for host, part in zip(moments[k], parts):
                    host.copy_(part, non_blocking=True)
                    part.record_stream(out)

    def way(update):
        def step(_):
            model(x).square().mean().backward()
            update(list(model.parameters()))
            model.zero_grad()
            torch.cuda.synchronize()
        return step
    return compare(24, plain=way(one_stream), prefetch=way(streams))


PROGRAMS = {f.__name__: f for f in (
    encoder, timm_train, profiled, cnn_inference, embedding, triton_softmax, threads,
    gan, accumulate, offload_activations, offload_optimizer, gnn, bert_accelerate,
    llama_decode, lightning, compiled)}
PROGRAMS |= {"images-0": lambda: images(0), "images-2": lambda: images(2)}
if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        try:
            print(json.dumps({name: PROGRAMS[name]()}), flush=True)
        except Exception as error:  # the other programs are timed all the same
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr,
                  flush=True)

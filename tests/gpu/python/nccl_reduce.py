# SPDX-License-Identifier: MIT
"""Two processes with a device each, which add up tensors by NCCL."""
import multiprocessing
import os
import sys

COUNT = 1 << 20
ROUNDS = 10


def work(rank, ranks, results):
    import torch
    import torch.distributed as dist

    if torch.cuda.device_count() < ranks:
        results.put((rank, None))
        return
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks,
                            init_method=f"file://{os.getcwd()}/meet")
    values = torch.full((COUNT,), rank + 1.0).pin_memory().to("cuda")
    for _ in range(ROUNDS):
        dist.all_reduce(values)
    result = values.cpu()
    dist.destroy_process_group()
    results.put((rank, (result.sum().item(), result.max().item())))


def main():
    ranks = 2
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    workers = [context.Process(target=work, args=(rank, ranks, results))
               for rank in range(ranks)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        sys.exit(f"exit codes {[worker.exitcode for worker in workers]}")
    found = dict(results.get() for _ in workers)
    if None in found.values():
        print("fewer than two devices here", file=sys.stderr)
        sys.exit(77)
    for rank in range(ranks):
        print(f"rank {rank}: {found[rank]}")
    # of each process
    print(f"expect h2d_at_least={4 * COUNT} d2h_at_least={4 * COUNT} "
          f"kernels_at_least={ROUNDS}")


if __name__ == "__main__":
    main()

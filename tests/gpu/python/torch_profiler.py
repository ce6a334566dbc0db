# SPDX-License-Identifier: MIT
"""torch.profiler started, stopped and started again, around known work."""
import torch
from torch.profiler import ProfilerActivity, profile


def work(times):
    host = torch.ones(1 << 18)
    for _ in range(times):
        device = host.to("cuda") * 2
        host = device.to("cpu") / 2
    torch.cuda.synchronize()
    return host.sum().item()


def profiled():
    with profile(activities=[ProfilerActivity.CPU,
                             ProfilerActivity.CUDA]) as profiler:
        total = work(10)
    seen = [event for event in profiler.events()
            if event.device_type == torch.autograd.DeviceType.CUDA]
    copies = sum("Memcpy" in event.name for event in seen)
    kernels = sum("elementwise" in event.name for event in seen)
    print(f"profiled: {total}, {copies} copies, {kernels} kernels")


print(f"before: {work(10)}")
profiled()
print(f"between: {work(10)}")
profiled()
print(f"after: {work(10)}")
print("expect ops=150")

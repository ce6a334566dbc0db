# SPDX-License-Identifier: MIT
"""Times ways in turns, three of each. With XFERSPY_RANGE=signal the first way is
recorded then, and three more turns follow."""
import os
import signal
import time


def record(way, steps, timed):
    """Records steps, between two signals; returns ms per step."""
    os.kill(os.getpid(), signal.SIGUSR2)
    time.sleep(0.7)
    took = timed(way, steps)
    os.kill(os.getpid(), signal.SIGUSR2)
    time.sleep(0.2)
    return took


def measured(ways, steps, timed):
    """Returns the times of each way by timed(way, steps), in ms per step."""
    times = {name: [] for name in ways}

    def turns():
        for _ in range(3):
            for name, way in ways.items():
                times[name].append(round(timed(way, steps), 4))
    turns()
    if os.environ.get("XFERSPY_RANGE") == "signal":
        first = next(iter(ways.values()))
        recorded = steps if steps < 24 else steps // 2
        times["recorded"] = [round(record(first, recorded, timed), 4)]
        times["steps"] = recorded
        turns()
    return times

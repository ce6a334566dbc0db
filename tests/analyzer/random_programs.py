#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random programs against a search over their memory, cell by cell.

random_programs.py XS_GOLDEN [PROGRAMS] [FIRST]

A program has four streams, one of them the default stream, events, waits of the
host, host functions, copies (also of rows, parts of volumes, and by calls that do not tell their bytes),
sets, kernels, a __device__ variable, memory that is freed and given out again, and
resets of the device. It has no races: what would race with an earlier op is left out.
Memory may hold addresses, written by the host or by host functions, and a kernel
accesses all memory that it is given or that those lead to. What the library would
record of a launch is worked out from what the host sees when it calls for a copy.

Whatever an op reads has to lead, by true and unknown dependencies, from the op that
wrote it. What the host computes from what it waited for counts for nothing, and so
does the one case that docs/reference.md names: kernels are in no default stream.
"""
import random
import subprocess
import sys
import tempfile

CELL = 64
IN, OUT, WITHIN = 1, 2, 3
SET, COPY, LAUNCH, MALLOC, MALLOC_HOST, FREE = 4, 2, 5, 7, 8, 10
SYNC_DEVICE, SYNC_STREAM, SYNC_EVENT, RECORD, WAIT = 13, 14, 15, 16, 17
HOST_FUNCTION, RESET, FROM_SYMBOL = 23, 24, 40
FUNCTIONS = {COPY: "cudaMemcpyAsync", SET: "cudaMemsetAsync",
             LAUNCH: "cudaLaunchKernel", MALLOC: "cudaMalloc",
             MALLOC_HOST: "cudaMallocHost", FREE: "cudaFree",
             SYNC_DEVICE: "cudaDeviceSynchronize",
             SYNC_STREAM: "cudaStreamSynchronize",
             SYNC_EVENT: "cudaEventSynchronize", RECORD: "cudaEventRecord",
             WAIT: "cudaStreamWaitEvent",
             HOST_FUNCTION: "cudaLaunchHostFunc", RESET: "cudaDeviceReset"}
COPY_FROM_SYMBOL = (f'string id={FROM_SYMBOL} text="cudaMemcpyFromSymbolAsync"\n'
                    f"site call_class={COPY} site={FROM_SYMBOL} "
                    f"function={FROM_SYMBOL}")
HEAD = ["xferspy-text 1", "header pid=1 state=1 start_realtime_ns=1000000000 "
        "flush_realtime_ns=1009000000 end_realtime_ns=1009000000",
        "chunk thread=1 base_ns=1000000000",
        *(f'string id={at} text="{name}"\n'
          f"site call_class={at} site={at} function={at}"
          for at, name in FUNCTIONS.items()), 'string id=50 text="step"',
        "shape registers=32 shape=1 name=50 grid_x=1 grid_y=1 grid_z=1 "
        "block_x=32 block_y=1 block_z=1",
        *(f"queue queue={at} device=0 queue_kind={0 if at else 1} context=1 "
          f"stream={7 + at}" for at in range(4))]
DEVICE, DEVICE_CELLS, HOST_CELLS = 0x700000, 64, 4
HOST = [0x100000 + at * 0x1000 for at in range(4)]
HOST_ALL = [at + cell * CELL for at in HOST for cell in range(HOST_CELLS)]
UNIT = 10000  # ns; more than the times of calls and of ops may differ
SYMBOL = -1  # a buffer of a __device__ variable, which no call allocates
SYMBOL_CELLS = 0x600000, 2
DATA = None  # what a cell holds that has no address: else it is a buffer


class Op:
    """Work in a stream, or a host function. before: all that comes before it;
    waited: what the host had waited for; number: of ops, in the order of issue."""

    def __init__(self, queue, reads, writes, before, waited):
        self.queue, self.reads, self.writes = queue, reads, writes
        self.before, self.waited = before, waited
        self.needs, self.number, self.end = set(), None, 0


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now, self.correlation, self.count = 1000, 0, 0
        self.calls, self.records, self.ops = [], [], []
        self.streams = [set() for _ in range(4)]  # all that is behind them
        self.events, self.waited = {}, set()
        self.buffers, self.made, self.free = {}, 0, []
        self.memory, self.seen, self.writers = {}, {}, {}
        self.tables = set()  # cells that the library takes for addresses
        self.symbol = [SYMBOL] if self.random.random() < 0.3 else []
        self.reads_symbol = self.copies_symbol = False
        self.start()
        actions = [self.kernel] * 10 + [self.copy] * 20 + [self.event] * 6 + \
            [self.host] * 2 + [self.sync, self.set, self.malloc] + \
            [self.host_function] * self.random.choice([0, 4, 8])
        for _ in range(self.random.randint(20, 80)):
            self.random.choice(actions)()
            if self.random.random() < 0.02:
                self.random.choice([self.release, self.reset])()

    def start(self):
        """Allocates all host memory, and some of the device."""
        self.free = [(DEVICE, DEVICE_CELLS)]
        for at in HOST:
            self.call(MALLOC_HOST, "memcall", address=at,
                      bytes=HOST_CELLS * CELL)
        self.forget(HOST_ALL)
        if self.symbol:
            self.buffers[SYMBOL] = SYMBOL_CELLS
            self.forget(self.cells(SYMBOL))
        for _ in range(3):
            self.malloc()

    def forget(self, cells):
        """New memory: no op wrote it."""
        for cell in cells:
            self.memory[cell] = self.seen[cell] = DATA
            self.writers.pop(cell, None)
            self.tables.discard(cell)

    def call(self, kind, record, duration=5, **fields):
        self.correlation += 1
        text = f"site={kind} correlation={self.correlation} " \
            f"start={self.now} duration={duration}"
        self.calls.append(" ".join([record, text, *(
            f"{name}={value}" for name, value in fields.items() if value)]))
        self.now += duration + 10
        return text

    def behind(self, queue):
        """What work that is issued to the queue now comes after."""
        return set().union(self.waited, *(
            self.streams if queue == 0 else
            (self.streams[queue], self.streams[0])))

    def add(self, queue, reads, writes):
        """Returns the new op; None: it would race."""
        before = self.behind(queue)
        for other in self.ops:
            if other not in before and (other.writes & (reads | writes) or
                                        other.reads & writes):
                return None
        op = Op(queue, reads, writes, before, set(self.waited))
        for cell in reads:
            op.needs |= self.writers.get(cell, set())
        op.end = max([self.now + 20, *(other.end for other in before)]) + 2 * UNIT
        self.streams[queue] = before | {op}
        self.ops.append(op)
        return op

    def record(self, op, text):
        op.number, self.count = self.count, self.count + 1
        self.records.append((op.end, f"{text} queue={op.queue} correlation="
                             f"{self.correlation} start={op.end - UNIT} "
                             f"duration={UNIT}"))

    def write(self, op, values, all_of_it=True):
        for cell, value in values.items():
            before = set() if all_of_it else self.writers.get(cell, set())
            self.writers[cell] = before | {op}
            self.memory[cell] = value

    def cells(self, buffer):
        begin, count = self.buffers[buffer]
        return {begin + at * CELL for at in range(count)}

    def value(self, chance):
        return self.random.choice(self.allocated() or [DATA]) if \
            self.random.random() < chance else DATA

    def allocated(self):
        return [buffer for buffer in self.buffers if buffer != SYMBOL]

    def malloc(self):
        count = self.random.choice([1, 2, 4, 4, 8])
        for at, (begin, left) in enumerate(self.free):
            if left >= count:
                self.free[at] = begin + count * CELL, left - count
                self.buffers[self.made] = begin, count
                self.call(MALLOC, "memcall", address=begin, bytes=count * CELL)
                self.forget(self.cells(self.made))
                self.made += 1
                return

    def wait(self, kind, ops, record="waitcall", **fields):
        """The host waits for ops: it sees what they wrote."""
        last = max((op.end for op in ops), default=0)
        self.call(kind, record, max(5, last - self.now + 5), **fields)
        self.waited = self.waited | ops
        pending = set().union(*(op.writes for op in self.ops
                                if op not in self.waited))
        for cell in HOST_ALL:
            if cell not in pending:
                self.seen[cell] = self.memory[cell]

    def release(self):
        if self.allocated():
            begin, count = self.buffers.pop(
                self.random.choice(self.allocated()))
            self.wait(FREE, set(self.ops), "memcall", address=begin)
            self.free.append((begin, count))

    def reset(self):
        self.wait(RESET, set(self.ops))
        self.buffers = {}
        self.start()

    def sync(self):
        queue = self.random.choice([1, 2, 3])
        kind = self.random.choice([SYNC_DEVICE, SYNC_STREAM, SYNC_STREAM,
                                   SYNC_EVENT])
        if kind == SYNC_DEVICE:
            self.wait(kind, set(self.ops))
        elif kind == SYNC_STREAM:
            self.wait(kind, self.streams[queue], stream=80 + queue)
        elif self.events:
            event = self.random.choice(list(self.events))
            self.wait(kind, self.events[event], event=event)

    def event(self):
        queue = self.random.choice([1, 2, 3])
        if self.events and self.random.random() < 0.5:
            event = self.random.choice(list(self.events))
            self.call(WAIT, "waitcall", stream=80 + queue, event=event)
            self.streams[queue] = self.streams[queue] | self.events[event]
        else:
            event = 90 + self.random.randrange(3)
            self.call(RECORD, "waitcall", stream=80 + queue, event=event)
            self.events[event] = self.streams[queue] | self.streams[0]

    def host(self):
        """The host writes its memory, unless it would race with an op."""
        begin = self.random.choice(HOST)
        cells = {begin + at * CELL for at in range(HOST_CELLS)}
        if not any(op not in self.waited and (op.reads | op.writes) & cells
                   for op in self.ops):
            self.forget(cells)
            for cell in cells:
                self.memory[cell] = self.seen[cell] = self.value(0.15)

    def host_function(self):
        """Reads host memory, and writes some."""
        queue = self.random.randrange(4)
        reads, begin = self.random.choices(HOST, k=2)
        first = self.random.randrange(HOST_CELLS)
        cells = {begin + at * CELL for at in
                 range(first, self.random.randint(first + 1, HOST_CELLS))}
        op = self.add(queue, {reads + at * CELL for at in range(HOST_CELLS)},
                      cells)
        if op:
            self.call(HOST_FUNCTION, "waitcall",
                      stream=queue and 80 + queue)
            self.write(op, {cell: self.value(0.8) for cell in cells})

    def reached(self, given):
        """All cells of the buffers, and of those whose addresses they hold."""
        found, left = set(), list(given)
        while left:
            buffer = left.pop()
            if buffer in self.buffers and not self.cells(buffer) <= found:
                found |= self.cells(buffer)
                left += [self.memory[cell] for cell in self.cells(buffer)
                         if self.memory[cell] is not DATA]
        return found

    def kernel(self):
        buffers = self.allocated()
        if not buffers:
            return
        given = self.random.sample(
            buffers, min(len(buffers), self.random.choice([1, 1, 1, 2])))
        used = self.symbol if self.random.random() < 0.5 else []
        reads = self.reached(given + used)
        # addresses that kernels write are not seen
        writes = {cell for cell in reads if self.memory[cell] is DATA}
        op = self.add(self.random.choice([1, 2, 3]), reads, writes)
        if not op:
            return
        known = not self.tables & set().union(
            *map(self.cells, given + self.symbol))
        text = self.call(LAUNCH, "call")
        self.calls.append(" ".join([
            f"pointers {text} known={known:d} count={len(given)}",
            *(f"address{at}={self.buffers[buffer][0]}"
              for at, buffer in enumerate(given))]))
        self.write(op, {cell: DATA for cell in writes}, False)
        self.record(op, "kernel shape=1")

    def part(self, begin, count):
        """The first cell of a part, and of how many one may be."""
        first = self.random.randrange(count)
        return begin + first * CELL, count - first

    def note(self, way, source, target, dst_cells, src_cells, rows):
        """What the library takes for addresses after a copy."""
        if rows > 1 and way == WITHIN:
            src_cells = self.cells(source)
        table = self.tables & set(src_cells) or way == IN and any(
            self.seen[cell] is not DATA for cell in src_cells)
        if table:
            self.tables |= self.cells(target) if rows > 1 else set(dst_cells)
        else:
            self.tables -= set(dst_cells[:1] if rows > 1 else dst_cells)

    def copy(self):
        if not self.buffers:
            return
        queue, way = self.random.randrange(4), self.random.choice(
            [IN, IN, OUT, WITHIN, WITHIN])
        source, target = self.random.choices(list(self.buffers), k=2)
        if way == WITHIN and source == target:
            return
        src, most = self.part(*(self.buffers[source] if way != IN else
                                (self.random.choice(HOST), HOST_CELLS)))
        dst, room = self.part(*(self.buffers[target] if way != OUT else
                                (self.random.choice(HOST), HOST_CELLS)))
        cells = list(range(min(most, room, self.random.randint(1, 4))))
        rows = 2 if len(cells) == 3 and way != OUT and \
            self.random.random() < 0.5 else 1
        cells = cells[::rows]  # of two rows, what lies between is not copied
        whole = [self.buffers[at] for at in (source, target)]
        if way == WITHIN and whole[0][1] == whole[1][1] == 8:
            rows, cells = 4, [0, 2, 5, 7]  # two rows of each of two slices
            (src, _), (dst, _) = whole
        src_cells = [src + at * CELL for at in cells]
        dst_cells = [dst + at * CELL for at in cells]
        op = self.add(queue, set(src_cells), set(dst_cells))
        if not op:
            return
        self.note(way, source, target, dst_cells, src_cells, rows)
        values = [self.memory[cell] for cell in src_cells]
        self.write(op, dict(zip(dst_cells, values)))
        size = len(cells) * CELL
        from_symbol = source == SYMBOL and way != IN
        self.reads_symbol |= from_symbol
        self.copies_symbol |= from_symbol or target == SYMBOL and way != OUT
        # some calls do not tell their bytes
        self.call(FROM_SYMBOL if from_symbol else COPY, "copycall",
                  bytes=size * (self.random.random() < 0.95), dst=dst,
                  src=src, stream=queue and 80 + queue, rows=rows,
                  direction=way)
        self.record(op, f"copy bytes={size} direction={way} copies=1 "
                    f"src_memory={2 if way == IN else 3} "
                    f"dst_memory={2 if way == OUT else 3}")

    def set(self):
        if self.buffers:
            queue = self.random.choice([1, 2, 3])
            begin, count = self.buffers[self.random.choice(list(self.buffers))]
            count = self.random.randint(1, count)
            cells = {begin + at * CELL for at in range(count)}
            op = self.add(queue, set(), cells)
            if op:
                self.write(op, dict.fromkeys(cells, DATA))
                self.call(SET, "copycall", bytes=count * CELL, dst=begin,
                          stream=80 + queue, rows=1)
                self.record(op, f"set bytes={count * CELL}")

    def needs_of(self, op, seen):
        """The ops that wrote what it reads, also through host functions that the
        host had not waited for."""
        found = set()
        for other in op.needs - seen:
            seen.add(other)
            if other.number is not None:
                found.add(other.number)
            elif other not in op.waited:
                found |= self.needs_of(other, seen)
        return found

    def text(self):
        return "\n".join(
            HEAD + [COPY_FROM_SYMBOL] * self.reads_symbol + self.calls +
            ["chunk base_ns=1000000000"] +
            [text for _, text in sorted(self.records)]) + "\n"


def found_by(golden, program):
    """By op, the ops that it needs as the analyzer says, and how many are unknown;
    None: no kernel."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(program.text())
        file.flush()
        lines = subprocess.run([golden, file.name], check=True, text=True,
                               capture_output=True).stdout.splitlines()
    at = next((at for at, line in enumerate(lines)
               if line.startswith("dataflow ops=")), None)
    if at is None:
        return None, 0
    assert f"dataflow ops={program.count} " in lines[at], lines[at]
    assert program.symbol or "unfollowed=0" in lines[at], lines[at]
    all_of = {number: set() for number in range(program.count)}
    for line in lines[at + 1:]:
        if not line.startswith("  "):
            break
        words = line.replace(":", "").split()
        if words[5] in ("true", "unknown"):
            all_of[int(words[4])] |= {int(words[1]),
                                      *all_of[int(words[1])]}
    return all_of, int(lines[at].split()[2].partition("=")[2])


def main():
    golden, programs, first = sys.argv[1], *(
        [int(word) for word in sys.argv[2:]] + [1200, 0][len(sys.argv) - 2:])
    needs, lost, told, unknown = 0, [], 0, 0
    for seed in range(first, first + programs):
        program = Program(seed)
        if program.symbol and not program.copies_symbol:
            continue  # such variables are not seen
        found, count = found_by(golden, program)
        if found is None:
            continue
        told += 1
        unknown += count
        for op in program.ops:
            if op.number is not None:
                of_op = program.needs_of(op, set())
                needs += len(of_op)
                lost += [(seed, number, op.number)
                         for number in of_op - found[op.number]]
    print(f"{told} programs, {needs} needs, {unknown} unknown ops; lost, by "
          f"program: {lost}")
    return bool(lost) or not needs


if __name__ == "__main__":
    sys.exit(main())

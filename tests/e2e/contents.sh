#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace contains what the program is known to do, and the program behaves as
# without the library. app's arrays have 16384 ints.
. "$(dirname "$0")/lib.sh"
array=65536

# Two copies in, a kernel and a copy out, five times, pageable.
plain "$XS_APPS/app" serial 5
cp out out.plain
traced "$XS_APPS/app" serial 5
expect "exit code" "$status" 0
cmp -s out out.plain || fail "stdout differs from that without the library"
grep -q "xferspy report" err || fail "no line on stderr that says how to go on"
expect "lines on stderr" "$(wc -l <err)" 1
read_trace
expect "copies in" "$(count '^copy .*direction=1 src_memory=1 dst_memory=3')" 10
expect "bytes in" "$(sum '^copy .*direction=1' bytes)" $((10 * array))
expect "copies out" "$(count '^copy .*direction=2 src_memory=3 dst_memory=1')" 5
expect "bytes out" "$(sum '^copy .*direction=2' bytes)" $((5 * array))
expect "kernels" "$(count '^kernel ')" 5
expect "calls of copies" "$(count '^copycall ')" 15
expect "bytes of calls" "$(sum '^copycall ' bytes)" $((15 * array))
expect "launches" "$(count '^call ')" 5
expect "allocations and frees" "$(count '^memcall ')" 6
expect "sites of copies" "$(count '^site call_class=1 ')" 3
expect "ops in the report" "$(json gpu_ops_seen)" 20
expect "ops with their calls" "$(json matched)" 20
expect "lost" "$(json lost)" 0
expect "bytes in of the report" "$(json h2d_bytes)" $((10 * array))
expect "rounds of the phase" "$(json rounds)" 5
grep -q '"function": "add_round' report.json || fail "no call site in add_round"
grep -q 'text="_Z3addPKiS0_Pii"' dump.txt ||
	fail "no name of the kernel"

# The hardware queues that the program's environment asks for.
expect "connections" "$(json max_connections)" null
traced env CUDA_DEVICE_MAX_CONNECTIONS=1 CUDA_DEVICE_MAX_COPY_CONNECTIONS=33 \
	"$XS_APPS/app" serial 5
unharmed "connections"
read_trace
expect "connections asked for" "$(json max_connections)" 1
expect "no number of connections" "$(json max_copy_connections)" null
"$XS_COMMAND" report ./*.xspy >report.txt || fail "xferspy report: $?"
grep -q '^! CUDA_DEVICE_MAX_CONNECTIONS=1: ' report.txt || fail "no note of it"
traced env CUDA_DEVICE_MAX_CONNECTIONS=1x CUDA_DEVICE_MAX_COPY_CONNECTIONS=4 \
	"$XS_APPS/app" serial 5
read_trace
expect "no number" "$(json max_connections)" null
expect "connections of copies" "$(json max_copy_connections)" 4

# The same program with its runtime linked statically: only CUPTI sees it.
# (CUPTI is named, since there is no libcudart.so beside which to find it.)
grep -E '^(copy|kernel|set) ' dump.txt |
	sed 's/start=[0-9]* duration=[0-9]* //; s/correlation=[0-9]* //; s/ again=.*//' >ops
XFERSPY_CUPTI="$XS_CUPTI" traced "$XS_APPS/app-static" serial 5
cmp -s out out.plain || fail "static: stdout differs"
read_trace
grep -E '^(copy|kernel|set) ' dump.txt |
	sed 's/start=[0-9]* duration=[0-9]* //; s/correlation=[0-9]* //; s/ again=.*//' >ops.static
diff ops ops.static >&2 || fail "static: not the ops of the shared runtime"
expect "static: calls of copies" "$(count '^copycall ')" 15
expect "static: ops with their calls" "$(json matched)" 20

# With per-thread default streams, which only some calls use.
expect "default stream" "$(count '^queue .*queue_kind=1')" 1
traced "$XS_APPS/app-per-thread" serial 5
cmp -s out out.plain || fail "per thread: stdout differs"
read_trace
expect "per thread: ops with their calls" "$(json matched)" 20
expect "per thread: sites of copies" "$(count '^site call_class=1 ')" 3
expect "per thread: streams of threads" "$(count '^queue .*queue_kind=2')" 1

# Two kinds of rounds, alternating.
traced "$XS_APPS/app" phases 6
read_trace
expect "phases" "$(grep -c '"signature":' report.json)" 2
expect "phases of six rounds" "$(grep -c '^      "rounds": 6,' report.json)" 2

# Four threads with a stream each; two devices.
traced "$XS_APPS/app" threads 5
expect "threads: exit code" "$status" 0
read_trace
expect "threads: bytes in" "$(sum '^copy .*direction=1' bytes)" $((40 * array))
expect "threads: ops with their calls" "$(json matched)" 80
expect "threads: streams" "$(count '^queue .*queue_kind=0')" 4
expect "threads that call" \
	"$(grep '^chunk ' dump.txt | grep -v ' thread=0 ' | grep -o 'thread=[0-9]*' |
		sort -u | wc -l)" 4
traced env XS_SIM_DEVICES=2 "$XS_APPS/app" devices 5
expect "devices: exit code" "$status" 0
read_trace
expect "devices: queues" "$(count '^queue .*device=[01] .*queue_kind=0')" 2
expect "devices: of the second" "$(count '^queue .*device=1 .*queue_kind=0')" 1
expect "devices: described" "$(count '^device ')" 2
expect "devices: ops with their calls" "$(json matched)" 40

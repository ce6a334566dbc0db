#!/bin/sh
# SPDX-License-Identifier: MIT
# Graphs, batches, polls in a loop, host functions, a device reset: the program
# behaves as without the library, and each has its calls and rounds.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"

# ways MODE ROUNDS
ways()
{
	plain "$XS_APPS/ways" "$1" "$2"
	cp out out.plain
	expect "$1: exit code without" "$status" 0
	traced "$XS_APPS/ways" "$1" "$2"
	expect "$1: exit code" "$status" 0
	cmp -s out out.plain || fail "$1: stdout differs"
	read_trace
	expect "$1: ops with their calls" "$(json matched)" \
		"$(json gpu_ops_seen)"
	expect "$1: lost" "$(json lost)" 0
}

# Copies captured into a graph are not counted as executed; each launch has its
# own ops. Here each node is recorded; e2e_graphs tests the other launches.
export XFERSPY_GRAPHS=nodes
ways graph 40
expect "graph: captured, and launches of it" "$(count '^(copycall|call) ')" 43
expect "graph: copies" "$(count '^copy .*flags=[23] ')" 80
expect "graph: kernels" "$(count '^kernel ')" 40
expect "graph: bytes in" "$(json h2d_bytes)" 2621440
expect "graph: bytes out" "$(json d2h_bytes)" 2621440
expect "graph: rounds" "$(json rounds)" 40
grep -q '"call": "cudaGraphLaunch"' report.json || fail "graph: no call site"
grep -q '3 calls were captured' report.json || fail "graph: captured calls"
ways forked-graph 3
expect "fork: captured" "$(grep -c '8 calls were captured' report.json)" 1
expect "fork: sets" "$(count '^set .*flags=[23] ')" 3

# Many graph launches: nothing is lost, and each has its call. Also tested with
# 100000.
export XS_SIM_CALL_NS=0 XS_SIM_LATENCY_NS=0 XS_SIM_COPY_NS=100
export XS_SIM_LAUNCH_NS=100
ways replays 20000
expect "replays: launches" "$(count '^call ')" 20001
expect "replays: kernels" "$(count '^kernel ')" 20000
expect "replays: copies out" "$(count '^copy .*direction=2 .*flags=[23] ')" \
	20000
unset XS_SIM_CALL_NS XS_SIM_LATENCY_NS XS_SIM_COPY_NS XS_SIM_LAUNCH_NS

unset XFERSPY_GRAPHS

# A captured launch does not run, and has no counters.
XFERSPY_MODE=counters traced "$XS_APPS/ways" graph 3
expect "counted graph: exit code" "$status" 0
read_trace
expect "counted graph: counts" "$(count '^counters ')" 0
expect "counted graph: kernels" "$(count '^kernel ')" 3

# A loop of polls is one record, and it is a wait. Kernels of 10 ms, so that the
# host polls often wherever it is delayed.
export XS_SIM_GIPS=0.01
for mode in event-polls stream-polls; do
	ways "$mode" 10
	expect "$mode: records" "$(count '^pollcall ')" \
		$((10 + $(records interrupted dump.txt)))
	expect "$mode: answers" "$(count '^pollcall .*ready=1 error=0')" 10
	within "$mode: questions" "$(sum '^pollcall' polls)" 100 1e7
	expect "$mode: rounds" "$(json rounds)" 10
	within "$mode: host blocked" "$(json host_blocked_ns)" 1000000 1e10
done
unset XS_SIM_GIPS

if has_batches; then
	ways batch 5
	expect "batch: calls" "$(count '^copycall .*bytes=65536 .*rows=2 ')" 10
	expect "batch: copies" "$(count '^copy .*bytes=32768 ')" 20
	expect "batch: rounds" "$(json rounds)" 5
fi

# Memory that is allocated and freed in stream order. Here the free waits, so
# freeing in stream order is no advice.
# kernels of 10 ms: the free waits for them wherever the host is delayed
XS_SIM_GIPS=0.01 ways pooled 5
expect "pooled: allocations" "$(count '^memcall .*bytes=65536 ')" 7
for call in cudaMallocAsync cudaFreeAsync; do
	expect "pooled: $call" "$(count "^string .*\"$call\"")" 1
done
expect "pooled: rounds" "$(json rounds)" 5
grep -q '"text": "cudaFreeAsync at ways.cu:[0-9]* waits implicitly for .* keeping the memory would not' \
	report.json || fail "pooled: not told why the free waits"
grep -q 'cudaFreeAsync, or' report.json && fail "pooled: advice to do the same"

# Where a copy begins in the memory that it names.
ways row 0
for end in src=4096 dst=24640; do
	at=$(sed -n "s/^copycall .* ${end%=*}=\(0x[0-9a-f]*\) .*/\1/p" dump.txt)
	expect "row: $end" "$(sed -n 's/^memcall .*address=\(0x[0-9a-f]*\) .*/\1/p' dump.txt |
		while read -r from; do echo $((at - from)); done | grep -cx "${end#*=}")" 1
done

ways old-wait 5
expect "old wait: rounds" "$(json rounds)" 5
expect "old wait: waits, a stream and a reset" "$(count '^waitcall ')" 7

ways host-function 5
expect "host function: calls" "$(count '^site call_class=23 ')" 2
expect "host function: rounds" "$(json rounds)" 5
expect "reset: calls" "$(count '^site call_class=24 ')" 1

# Each device has its own ops, and a copy between devices is neither in nor out.
export XS_SIM_DEVICES=2
XS_SIM_NO_PEER_ACCESS=1 ways peers 5
expect "staged: parts" \
	"$(count '^copy .*direction=[12] src_memory=3 dst_memory=3 ')" 12
expect "staged: bytes in" "$(json h2d_bytes)" 327680
expect "staged: bytes between" "$(json p2p_bytes)" 393216
expect "staged: copies" "$(json staged_ops)" 6
expect "staged: bytes" "$(json staged_bytes)" 393216
expect "staged: direct" "$(json direct_ops)" 0
ways peers 5
expect "peers: staged" "$(json staged_ops)" 0
expect "peers: direct" "$(json direct_ops)" 6
expect "peers: between devices" \
	"$(count '^copy .*direction=5 .*peer_device=[01] ')" 6
expect "peers: asked for" "$(count '^copycall .*direction=3 ')" 6
expect "peers: bytes in" "$(json h2d_bytes)" 327680
expect "peers: bytes out" "$(json d2h_bytes)" 327680
queue=$(sed -n 's/^queue queue=\([0-9]*\) device=1 queue_kind=0 .*/\1/p' dump.txt)
expect "peers: the second's kernels" "$(count "^kernel queue=$queue ")" 5
expect "peers: the second's copies out" \
	"$(count "^copy queue=$queue .*direction=2 ")" 5
expect "peers: devices" "$(count '^device ')" 2
expect "peers: bytes between" "$(json p2p_bytes)" 393216
"$XS_COMMAND" report ./*.xspy >report.txt
for words in '2 GPUs, each' 'between GPUs' 'on GPU 1'; do
	grep -q "$words" report.txt || fail "peers: no '$words' in the report"
done
unset XS_SIM_DEVICES

# A migration is not a requested copy, and no round of its own.
ways managed 4
expect "managed: prefetches" "$(count '^copycall .*bytes=65536 ')" 4
expect "managed: migrations" "$(count '^copy .*flags=[45] ')" 8
expect "managed: a queue of their own" "$(count '^queue .*queue_kind=3 ')" 1
expect "managed: in" "$(json migrated_h2d_bytes)" 262144
expect "managed: out" "$(json migrated_d2h_bytes)" 262144
within "managed: time" "$(json migrated_h2d_ns)" 40000 80000
expect "managed: copies asked for" "$(json h2d_bytes)" 0
expect "managed: ops" "$(json gpu_ops_seen)" 4
"$XS_COMMAND" report ./*.xspy >report.txt
grep -q 'migrated in .*64 KiB at ' report.txt || fail "managed: report"
traced env XS_SIM_CUPTI_MANAGED_FAIL=1 "$XS_APPS/ways" managed 4
expect "not told: exit code" "$status" 0
read_trace
expect "not told: kernels" "$(count '^kernel ')" 4
expect "not told: in the report" "$(grep -c 'uses managed' report.json)" 1

# If the runtime cannot be interposed, CUPTI still sees all calls.
traced "$XS_APPS/ways-static" event-polls 10
read_trace
expect "static: records" "$(count '^pollcall .*ready=1 error=0')" 10
expect "static: rounds" "$(json rounds)" 10

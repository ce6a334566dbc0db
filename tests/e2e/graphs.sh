#!/bin/sh
# SPDX-License-Identifier: MIT
# Launches of graphs that are recorded as one op each: the program behaves as
# without the library, and the report equals that of a run in which each node is
# recorded. The simulated CUPTI ends a process that would crash with the real one.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"
[ "$XS_CUDA_VERSION" -ge 12090 ] || exit 77 # all nodes of all launches

# Kernel times come from the model, not from this machine.
export XS_SIM_GIPS=0.02

# graphs MODE LAUNCHES [static]: runs it traced, and reads the trace
graphs()
{
	plain "$XS_APPS/graphs${3:+-$3}" "$1" "$2"
	cp out out.plain
	expect "$1: exit code without" "$status" 0
	traced "$XS_APPS/graphs${3:+-$3}" "$1" "$2"
	unharmed "$1"
	read_trace
	expect "$1: ops with their calls" "$(json matched)" \
		"$(json gpu_ops_seen)"
	expect "$1: lost" "$(json lost)" 0
	expect "$1: gaps" "$(grep -c 'records of .* are missing' report.json)" 0
}

by_node()
{
	count '^graph .*by_node=1'
}

# of_phase KEY FILE: the first phase's value
of_phase()
{
	sed -n '/"phases"/,$p' "$2" >phases.json
	sed -n "s/^ *\"$1\": *\([0-9]*\),*\$/\1/p" phases.json | head -1
}

# same WHAT AS_ONE BY_NODE: compares report.json with the report by nodes
same()
{
	expect "$1: as one" "$(json graphs_as_one)" "$2"
	expect "$1: by node" "$(json graphs_by_node)" "$3"
	expect "$1: unknown" "$(json graphs_unknown)" 0
	expect "$1: kernels, and those of the trace" "$((
		$(count '^kernel ') + 3 * $2))" "$(grep -c '^kernel ' nodes.txt)"
	mv report.json one.json
	for key in gpu_ops_seen matched h2d_bytes d2h_bytes h2d_ops d2h_ops phase; do
		cp one.json report.json
		as_one=$(json $key)
		cp nodes.json report.json
		expect "$1: $key" "$as_one" "$(json $key)"
	done
	[ "$(json rounds)" -gt 1 ] || return 0
	# two rounds are one where the machine delays the device
	within "$1: rounds" "$(of_phase rounds one.json)" \
		$(($(json rounds) * 95 / 100)) $(($(json rounds) * 105 / 100))
	# the median round: the machine may delay the device in single rounds
	for key in kernel_ns h2d_ns d2h_ns; do
		wanted=$(of_phase $key nodes.json)
		within "$1: $key" "$(of_phase $key one.json)" \
			$((wanted * 9 / 10)) $((wanted * 11 / 10))
	done
}

# compare MODE LAUNCHES AS_ONE BY_NODE [static]: runs it in both ways
compare()
{
	export XFERSPY_GRAPHS=nodes
	graphs "$1" "$2" ${5:+"$5"}
	expect "$1: records of graphs" "$(count '^graph ')" 0
	mv dump.txt nodes.txt
	mv report.json nodes.json
	unset XFERSPY_GRAPHS
	graphs "$1" "$2" ${5:+"$5"}
	same "$1" "$3" "$4"
}

compare replay 100 84 16
grep -q '84 launches of CUDA graphs were recorded as one op each' one.json ||
	fail "replay: no note"
compare rush 100 84 16
# now and then by node again: from the 1,024th launch on, four
XS_SIM_GIPS=0.2
compare rush 1100 1080 20
XS_SIM_GIPS=0.02
compare moved 50 84 16
compare replay 100 84 16 static
XFERSPY_GRAPHS=launch traced "$XS_APPS/graphs" replay 20
read_trace
expect "launch: as one" "$(count '^graph .*by_node=0')" 4
XFERSPY_GRAPHS=all traced "$XS_APPS/graphs" replay 20
read_trace
expect "unknown: as one" "$(count '^graph .*by_node=0')" 4
expect "unknown: note" "$(grep -c 'XFERSPY_GRAPHS=all is not valid' report.json)" 1

# A graph instantiated for each launch: each launch is recorded by node.
graphs each 60
expect "each: as one" "$(json graphs_as_one)" 0
expect "each: by node" "$(by_node)" 60
expect "each: kernels" "$(count '^kernel ')" 180

# After an update, launches are recorded by node again, and later launches are
# expanded like these.
compare updated 50 118 32
expect "updated: kernels" "$(count '^kernel .*shape=1( |$)')" 48
expect "updated: other kernels" "$(count '^kernel .*shape=2( |$)')" 48

# A graph captured at the start and instantiated between launches of another one;
# plain copies are recorded in any case.
graphs late 40
expect "late: as one" "$(json graphs_as_one)" 88
expect "late: by node" "$(json graphs_by_node)" 32
expect "late: ops" "$(json gpu_ops_seen)" $((80 * 5 + 40 * 3 + 40))
expect "late: copies in" "$(json h2d_ops)" 160

# Threads that instantiate while others launch.
for call_ns in 0 2000 20000; do
	XS_SIM_CALL_NS=$call_ns graphs together 40
	within "together: as one" "$(json graphs_as_one)" 300 640
	expect "together: ops" "$(json gpu_ops_seen)" $((640 * 5))
	expect "together: h2d" "$(json h2d_bytes)" $((640 * 4096))
	expect "together: unknown" "$(json graphs_unknown)" 0
done

# Each node is recorded, and nothing crashes, if CUPTI may be detached or its
# callbacks disabled, if kernels are counted, or if another tool has the
# callbacks.
for setting in XFERSPY_MODE=light XFERSPY_MODE=counters XFERSPY_RANGE=0 \
	XFERSPY_MAX_SIZE=2M XS_SIM_CUPTI_SUBSCRIBE_FAIL=1; do
	XS_SIM_CUPTI_STRICT=1 traced env "$setting" "$XS_APPS/graphs" replay 100
	cp out out.plain
	unharmed "$setting"
	read_trace
	expect "$setting: records of graphs" "$(count '^graph ')" 0
	expect "$setting: kernels" "$(count '^kernel ')" 300
done

# A second client of CUPTI gets all nodes from its first measurement on, and so
# do we.
plain "$XS_APPS/second_client" graph
cp out out.plain
expect "client: exit code without" "$status" 0
traced "$XS_APPS/second_client" graph
unharmed client
read_trace
expect "client: as one" "$(json graphs_as_one)" 24
expect "client: ops" "$(json gpu_ops_seen)" "$(((40 + 10 + 10) * 3))"
expect "client: said" "$(grep -c 'needs the nodes' report.json)" 1

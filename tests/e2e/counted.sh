#!/bin/sh
# SPDX-License-Identifier: MIT
# Counters are bounded by the number of call sites, exact by direction, and
# separate by size: light mode and a limit on the trace.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"

# all_seen WHAT CALLS: nothing was lost, all calls were seen, some counted.
all_seen()
{
	expect "$1: status" "$status" 0
	read_report
	expect "$1: lost" "$(json lost)" 0
	expect "$1: calls" "$(json api_calls_seen)" "$2"
	within "$1: counted" "$(json calls_counted)" 1 "$2"
}

# of_bytes BYTES: rounds of the phase that copies in this many bytes
of_bytes()
{
	awk -v bytes="$1" '
		/"rounds":/ { rounds = $2 + 0 }
		/"h2d_bytes":/ && $2 + 0 == bytes { print rounds; exit }' \
		report.json
}

# If another thread is always inside a call, everything is counted, and the
# trace states it: some 2 s after the end of the copy that is still recorded,
# while the next one, of 6 s, goes on. It waits nearly all of this time, beside
# the other programs.
(
	beside=$(mktemp -d)
	trap 'rm -rf "$beside"' EXIT
	cd "$beside"
	export XFERSPY_OUTPUT="$beside/%p.xspy"
	what="a thread that is always inside, light"
	XS_SIM_PAGEABLE_GBS=0.00004 XFERSPY_MODE=light \
		traced "$XS_APPS/counted" inside 9000
	all_seen "$what" $(($(sed 's/ .*//' out) + 5))
	expect "$what: kernels" "$(json kernels)" "$(sed 's/ .*//' out)"
	dump_trace
	expect "$what: notes" "$(count 'always inside of CUDA')" 1
) &
inside=$!

# 500 call sites: the trace, and the mappings of the process, grow only with
# their number.
what="many places"
plain "$XS_APPS/counted" places 1
mappings=$(sed 's/ .*//' out)
XFERSPY_MODE=light traced "$XS_APPS/counted" places 100
all_seen "$what" 50002
dump_trace
within "$what: tallies" "$(count '^tally ')" 1 520
within "$what: size" "$(stat -c %s ./*.xspy)" 1 1000000
within "$what: mappings" "$(sed 's/ .*//' out)" 1 $((mappings + 150))
# A loop over many call sites that end at one depth of the stack: each is walked
# once, and none stays new. One of the program's own calls detaches CUPTI, once,
# and the number of later calls is estimated from time. Calls are slow here, so
# that recording them slows the program little.
what="many places, static"
XS_SIM_CALL_NS=30000 XS_SIM_CUPTI_LEFT=1 XS_SIM_CUPTI_STRICT=1 \
	estimated "$what" 50002 "$XS_APPS/counted-static" places 100
finalized 1 1
hooks_alone 1
within "$what: recorded" "$(count '^(call|copycall|again) ')" 9900 25000
within "$what: tallies" "$(count '^tally ')" 0 520
what="many places, bounded"
XFERSPY_MAX_SIZE=2M traced "$XS_APPS/counted" places 200
all_seen "$what" 100002
within "$what: size" "$(stat -c %s ./*.xspy)" 1 2097152
expect "$what: bytes in" "$(json h2d_bytes)" $((100000 * 64))

# With a limit, calls that no hook sees are counted, too.
for bound in MODE=light MAX_SIZE=2M; do
	# More calls than a limit allows before its first check; and light mode
	# ends after 10000, some intervals before those that it does not record.
	apps="counted counted-static" grown=5000 mixed=4000
	[ $bound = MODE=light ] && { apps=counted grown=10000; }
	for app in $apps; do
		what="sizes that grow, $bound, $app"
		traced env "XFERSPY_$bound" "$XS_APPS/$app" grow $grown
		all_seen "$what" $((6 * grown + 2))
		bytes=$((grown * (4096 + 65536)))
		expect "$what: bytes in" "$(json h2d_bytes)" $bytes
		expect "$what: bytes out" "$(json d2h_bytes)" $bytes
		if [ $bound = MODE=light ]; then
			grep -q 'of another size or direction' report.json ||
				fail "$what: nothing of what is new"
		else
			within "$what: small" "$(of_bytes 4096)" 4500 5500
			within "$what: large" "$(of_bytes 65536)" 4500 5500
		fi

		what="directions, $bound, $app"
		traced env "XFERSPY_$bound" "$XS_APPS/$app" mix $((10 * mixed))
		all_seen "$what" $((11 * mixed + 2))
		expect "$what: bytes in" "$(json h2d_bytes)" \
			$((10 * mixed * 4096))
		expect "$what: bytes out" "$(json d2h_bytes)" \
			$((mixed * 262144))
		# the copies out come after light mode's recording
		if [ $bound = MODE=light ]; then
			expect "$what: time out" "$(json d2h_ns)" null
			"$XS_COMMAND" report ./*.xspy >report.txt
			grep -q '^  copies out  *-  *-  *-  250 MiB' report.txt ||
				fail "$what: time out in the text"
		fi
	done

	what="threads that end, $bound"
	traced env "XFERSPY_$bound" "$XS_APPS/counted" threads 4000
	all_seen "$what" 16002
	within "$what: size" "$(stat -c %s ./*.xspy)" 1 2097152
	expect "$what: bytes in" "$(json h2d_bytes)" $((4000 * 1024))
	expect "$what: bytes out" "$(json d2h_bytes)" $((4000 * 1024))
	if grep -q 'may have disabled them' report.json; then
		fail "$what: another profiler is blamed"
	fi
done

# New kinds of calls are recorded if they come early enough: here after 9000
# calls.
what="sizes that grow early, light"
for app in counted counted-static; do
	XFERSPY_MODE=light traced "$XS_APPS/$app" grow 3000
	expect "$what, $app: status" "$status" 0
	read_report
	expect "$what, $app: calls" "$(json api_calls_seen)" 18002
	within "$what, $app: counted" "$(json calls_counted)" 0 1000
	within "$what, $app: small" "$(of_bytes 4096)" 2900 3100
	within "$what, $app: large" "$(of_bytes 65536)" 2900 3100
done

# Kernels that come after light mode's recording have a number and no time.
what="late kernels, light"
XFERSPY_MODE=light traced "$XS_APPS/counted" late 30000
all_seen "$what" 90003
expect "$what: kernels" "$(json kernels)" 30000
expect "$what: time" "$(json kernel_ns)" null

# A chunk that one thread left and another continued belongs to both.
what="threads that end, all recorded"
traced "$XS_APPS/counted" threads 1000
expect "$what: status" "$status" 0
read_trace
expect "$what: threads" "$(count '^thread ')" 1001
within "$what: size" "$(stat -c %s ./*.xspy)" 1 1000000
expect "$what: rounds" "$(json rounds)" 1000

# Times that change when nothing else does, in a run of some seconds; compared
# with a recorded run. Kernels of which the simulated device is delayed take
# longer: if one of the runs was, both run again.
what="kernels that become longer, bounded"
drift() {
	mkdir whole
	(
		cd whole
		XFERSPY_OUTPUT="$work/whole/%p.xspy" \
			traced "$XS_APPS/counted" drift 1500
		read_report
	) &
	XFERSPY_MAX_SIZE=2M traced "$XS_APPS/counted" drift 1500
	wait "$!"
	mv whole/report.json whole.json
	rm -r whole
	all_seen "$what" 61502
	kernel_ns=$(sed -n 's/^ *"kernel_ns": *\([0-9]*\),$/\1/p' whole.json |
		head -1)
	least=$((kernel_ns * 3 / 5))
	most=$((kernel_ns * 3 / 2))
}
for _ in 1 2 3 4 5; do
	drift
	[ "$(json kernel_ns)" -lt "$least" ] ||
		[ "$(json kernel_ns)" -gt "$most" ] || break
done
within "$what: kernels' time" "$(json kernel_ns)" "$least" "$most"

# Failed calls have no ops, and are not reported as missing ops.
for mode in trace light; do
	what="launches that fail, $mode"
	XFERSPY_MODE=$mode traced "$XS_APPS/counted" fail 15000
	expect "$what: status" "$status" 0
	expect "$what: output" "$(cat out)" "15000 failed"
	read_trace
	expect "$what: failed" "$(json failed)" 15000
	expect "$what: kernels" "$(json kernels)" 15000
	expect "$what: gaps" "$(count another)" 0
done

# A call site that is new after CUPTI was detached is counted, and the trace
# states it. With a limit on the trace, a sample window starts for it, although
# the program is nearly always inside CUDA.
what="always in a wait, light"
# a kernel that is waited for takes 50 ms or more, few of them of the host
export XS_SIM_GIPS=0.003
# 20 us a call: light mode's recording ends 0.6 s before the waits begin
XS_SIM_CALL_NS=20000 XFERSPY_MODE=light traced "$XS_APPS/counted" wait 40000
all_seen "$what" 40122
expect "$what: kernels" "$(json kernels)" 40060
grep -q 'only counted, never recorded' report.json || fail "$what: nothing of what is new"
what="always in a wait, bounded"
XFERSPY_MAX_SIZE=2M traced "$XS_APPS/counted" wait 30000
all_seen "$what" 30122
dump_trace
within "$what: kernels that are waited for" \
	"$(count '^string .*text="_Z4workPci"')" 1 1
unset XS_SIM_GIPS

wait "$inside" || exit 1 # it has told why

# Rare rounds get a small weight, however long the run.
what="many fast rounds, some slow ones, bounded"
XFERSPY_MAX_SIZE=2M traced "$XS_APPS/counted" serve 20000
expect "$what: status" "$status" 0
read_report
within "$what: counted" "$(json calls_counted)" 5000 40000
within "$what: fast rounds" "$(of_bytes 65536)" 19600 20130

# Space is reserved for the ops of a window's calls.
what="64 threads, bounded"
XFERSPY_MAX_SIZE=2M traced "$XS_EXAMPLES/launch_bench" threads 100000
expect "$what: status" "$status" 0
read_report
expect "$what: lost" "$(json lost)" 0
expect "$what: kernels" "$(json kernels)" $((64 * 782 + 3200))

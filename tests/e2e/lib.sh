# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Functions of the end-to-end scripts: run programs on the simulated device,
# with and without the library, and read the traces. CMake sets XS_PRELOAD,
# XS_COMMAND, XS_SIM, XS_CUDART and XS_CUPTI of it, XS_APPS and XS_EXAMPLES, and
# of the toolkit XS_CUDA_VERSION, 13000 for 13.0, and XS_RANGE_PROFILER, empty
# if it has none.
# shellcheck disable=SC2034 # the scripts look at the status
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LD_LIBRARY_PATH="$XS_SIM"
export XFERSPY_OUTPUT="$work/%p.xspy"
unset XFERSPY_MODE XFERSPY_LOG XFERSPY_SUMMARY XFERSPY_CUPTI XFERSPY_HASH XFERSPY_GRAPHS XFERSPY_DATAFLOW LD_PRELOAD
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH CUDA_VISIBLE_DEVICES
unset CUDA_DEVICE_MAX_CONNECTIONS CUDA_DEVICE_MAX_COPY_CONNECTIONS

fail()
{
	echo "FAILED: $*" >&2
	for file in out err; do
		if [ -s "$file" ]; then
			echo "--- $file" >&2
			cat "$file" >&2
		fi
	done
	exit 1
}

# expect WHAT GOT WANT
expect()
{
	[ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
}

# within WHAT GOT LOW HIGH: numbers
within()
{
	awk -v got="$2" -v low="$3" -v high="$4" \
		'BEGIN { exit !(got >= low && got <= high) }' ||
		fail "$1: got $2, want $3 to $4"
}

# A program that takes this long (s) hangs: on a slow and busy machine minutes are
# not much.
hangs=900

# plain COMMAND...: without the library; status in $status, output in out, err.
plain()
{
	status=0
	timeout -k 5 $hangs "$@" >out 2>err || status=$?
}

# traced COMMAND...: with it. Traces of earlier runs are deleted.
traced()
{
	rm -f ./*.xspy
	status=0
	LD_PRELOAD="$XS_PRELOAD" timeout -k 5 $hangs "$@" >out 2>err || status=$?
}

# traced_until PATTERN COMMAND...: traced, with a line of input when a line of
# the trace's dump matches
traced_until()
{
	pattern=$1
	shift
	rm -f ./*.xspy
	mkfifo go
	{
		for _ in $(seq $((hangs * 10))); do
			sleep 0.1
			! "$XS_COMMAND" dump ./*.xspy 2>go.err |
				grep -q "$pattern" || break
		done
		echo go
	} >go &
	traced "$@" <go
	wait
	rm go
}

traces()
{
	find . -name '*.xspy' | wc -l
}

# Writes the report of the only trace to report.json.
read_report()
{
	expect "number of traces" "$(traces)" 1
	"$XS_COMMAND" report --format json ./*.xspy >report.json ||
		fail "xferspy report: $?"
}

# Writes its text to dump.txt.
dump_trace()
{
	"$XS_COMMAND" dump ./*.xspy >dump.txt || fail "xferspy dump: $?"
}

read_trace()
{
	read_report
	dump_trace
}

# unharmed WHAT: exit code 0, and the output of out.plain
unharmed()
{
	expect "$1: exit code" "$status" 0
	cmp -s out out.plain || fail "$1: stdout differs"
}

# lossy WHAT [WHY]: also, the only trace can be read and states what it lacks,
# and why
lossy()
{
	unharmed "$1"
	read_trace
	within "$1: lost" "$(json lost)" 1 1e9
	within "$1: calls" "$(count '^(copycall|call|waitcall) ')" 100 1e9
	expect "$1: damage" "$(count '^# damaged')" 0
	grep -q "${2:-no more room for the trace}" dump.txt ||
		fail "$1: no reason"
}

# count PATTERN: lines of the dump
count()
{
	grep -c -E -- "$1" dump.txt || :
}

# sum PATTERN FIELD: of the dump's lines
sum()
{
	awk -v pattern="$1" -v field="$2=" '
		$0 ~ pattern {
			for (i = 1; i <= NF; i++)
				if (index($i, field) == 1)
					total += substr($i, length(field) + 1)
		}
		END { printf "%d", total }' dump.txt
}

# json KEY: the first number or word of that key in the report
json()
{
	sed -n "/^ *\"$1\": *\([^,]*\),\{0,1\}\$/{s//\1/p;q;}" report.json
}

# records NAME ARGS...: runs NAME.awk with these arguments of awk
records()
{
	script=$here/$1.awk
	shift
	awk -f "$here/records.awk" -f "$script" "$@"
}

# estimated WHAT CALLS COMMAND...: in light mode, for a program whose calls are
# not seen after CUPTI was detached. They are estimated from time, as if calls
# were as fast as in the second half of the recording; how fast they were is
# known from the device (pace.awk).
estimated()
{
	what=$1
	calls=$2
	shift 2
	rm -f calls.times
	XS_SIM_CALL_TIMES="$work/calls.times" XFERSPY_MODE=light traced "$@"
	expect "$what: status" "$status" 0
	read_trace
	want=$(records pace -v calls="$calls" dump.txt calls.times)
	within "$what: calls, of $calls at an even pace $want" \
		"$(json api_calls_seen)" $((want * 9 / 10)) $((want * 11 / 10))
	expect "$what: lost" "$(json lost)" 0
	within "$what: estimated" "$(json calls_estimated)" 1 \
		"$(json calls_counted)"
	grep -q 'calls are estimated' report.json || fail "$what: nothing said"
}

# finalized LOW HIGH
finalized()
{
	within "$what: detached" "$(sed -n 's/^finalized: //p' err)" "$1" "$2"
}

# hooks_alone FROM: only hooks see calls from then on, in the trace
hooks_alone()
{
	expect "$what: hooks alone" "$(count '^detail detail=3 ')" "$1"
	expect "$what: callbacks left" \
		"$(sed -n 's/^callbacks left: //p' err)" 0
}

# has_batches: whether the toolkit has batched copies, as in CUDA 13
has_batches()
{
	[ "$XS_CUDA_VERSION" -ge 13000 ] && return
	echo "skipped: batches, which want CUDA 13"
	return 1
}

# overlap KIND KIND: ns during which ops of both kinds run (in, out, kernel)
overlap()
{
	records overlap -v first="$1" -v second="$2" dump.txt
}

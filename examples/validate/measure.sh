#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures every variant of every workload on this machine, and records the
# traces that predictions start from; accuracy.py then sets one against the
# other.
#
#   examples/validate/measure.sh [--only PART,...] [--workloads FILE]
#                                [--patterns FILE] [BUILD [OUTPUT [MACHINE]]]
#
# BUILD: the build tree (build). OUTPUT: where traces/ and validate/results/
# go (examples). MACHINE: the profile's name (from the GPU).
# --only: these parts alone: calibrate, a workload of the table below, patterns,
# or others (the traces that demo and tests read besides); results of the rest
# stay as they were. --workloads, --patterns: a table of your own, instead of the
# one below.
# A part that fails is named at the end and leaves the others standing.
set -u

# workload | program | arguments | sizes, as --n | numbers of streams | variants
# No size: the program has its own. No variants: those below. The streams of POP
# divide its 42 levels. Of several kernels nobody predicts mapped and hybrid.
workloads='
stencil|stencil||128 192 256 384 512|2,4,8,16,32,64
vecadd|vecadd||1000000 10000000 40000000|2,4,8,16,32,64
pop_state|pop_state|||2,3,6,7,14,21,42
pop_buoydiff|pop_buoydiff|||2,3,6,7,14,21,42
reduction|reduction|||2,4,8,16,32,64
matmul-naive|matmul|--kernel naive|2048|2,4,8,16,32,64
matmul-tiled|matmul|--kernel tiled|2048|2,4,8,16,32,64
sweep-w10|sweep|--work 10||2,4,8,16,32,64
sweep-w250|sweep|--work 250||2,4,8,16,32,64
sweep-w500|sweep|--work 500||2,4,8,16,32,64
sweep-w1000|sweep|--work 1000||2,4,8,16,32,64
sweep-w2000|sweep|--work 2000||2,4,8,16,32,64
sweep-w8000|sweep|--work 8000||2,4,8,16,32,64
asymmetric-in1-out23|sweep|--in-mb 1 --out-mb 23||2,4,8,16,32,64
asymmetric-in6-out18|sweep|--in-mb 6 --out-mb 18||2,4,8,16,32,64
asymmetric-in12-out12|sweep|--in-mb 12 --out-mb 12||2,4,8,16,32,64
asymmetric-in18-out6|sweep|--in-mb 18 --out-mb 6||2,4,8,16,32,64
asymmetric-in23-out1|sweep|--in-mb 23 --out-mb 1||2,4,8,16,32,64
chain|chain||16777216 134217728|2,4,8,16,32,64|pageable,pinned,streams,double-buffer
chain-all|chain|--middle all|16777216 134217728|2,4,8,16,32,64|pageable,pinned,streams,double-buffer
'
# program of patterns/ | arguments | anything: traced with XFERSPY_HASH
patterns='
carried
constants||hash
converge
engines
fresh_buffers
fresh_pinned
host_between
launches
layers
pieces|--piece-kb 320
pieces|--piece-kb 4 --n 524288
small_waits
solver
strided
tiles
warm_up
huge
'
variants=pageable,pinned,streams,mapped,hybrid,double-buffer
orders=depth,breadth
rounds=20	# of each variant
traced_rounds=10 # enough for a median, few enough for a small file
counted_rounds=3 # no more launches of a kernel are counted
turns=3		 # processes with all variants of a pattern

only=
while [ $# -gt 0 ]; do
	case $1 in
	--only) only=${2:?"--only needs a part"} ;;
	--workloads) workloads=$(cat "${2:?"--workloads needs a file"}") || exit 1 ;;
	--patterns) patterns=$(cat "${2:?"--patterns needs a file"}") || exit 1 ;;
	*) break ;;
	esac
	shift 2
done
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-build}" && pwd) || exit 1
mkdir -p "${2:-examples}" && out=$(cd "${2:-examples}" && pwd) || exit 1
machine=${3:-}
xferspy=$build/bin/xferspy
preload=$build/lib/libxferspy.so
failed=

if [ -z "$machine" ]; then
	machine=$(nvidia-smi --query-gpu=name --format=csv,noheader -i 0 |
		sed 's/^NVIDIA *//; s/ /-/g' | tr '[:upper:]' '[:lower:]')
fi
if [ -z "$machine" ]; then
	echo "measure.sh: no NVIDIA GPU found: nvidia-smi names none" >&2
	exit 2
fi
results=$out/validate/results/$machine.json
traces=$out/traces
mkdir -p "$traces" "$out/validate/results"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
started=$(date +%s)

note_failure() {
	echo "measure.sh: failed: $*" >&2
	failed="$failed
  $*"
}

# is_wanted PART: whether it is to be run, which is then said with the time.
is_wanted() {
	case ",${only:-$1}," in
	*",$1,"*) echo "[$(($(date +%s) - started)) s] $1" ;;
	*) return 1 ;;
	esac
}

# find_program NAME: its path in the build tree goes to $path.
find_program() {
	for path in "$build/examples/$1" "$build/examples/validate/$1"; do
		[ -x "$path" ] && return
	done
	note_failure "$1 is not built"
	return 1
}

# as_rows CASE WORKLOAD: one row of the results for each baseline that a
# measurement can be predicted from.
as_rows() {
	awk -v traces="examples/traces/$1" -v workload="$2" '
	function row(baseline, strategy, line) {
		line = $0
		sub(/"workload": "[^"]*"/, "\"workload\": \"" workload "\"", line)
		sub(/"size": [0-9]*/, "&, \"baseline_trace\": \"" traces "-" \
			baseline ".xspy\"", line)
		if (strategy)
			sub(/"strategy": "[^"]*"/,
				"\"strategy\": \"" strategy "\"", line)
		print line
	}
	/"strategy": "pageable"/ { row("pageable", "as-is"); next }
	/"strategy": "pinned"/ {
		row("pageable", "pinned")
		row("pinned", "as-is")
		next
	}
	{ row("pageable"); row("pinned") }'
}

# record NAME MODE COMMAND...: one run under the library.
record() {
	trace=$traces/$1.xspy
	mode=$2
	shift 2
	rm -f "$trace"
	if ! timeout 60 env XFERSPY_OUTPUT="$trace" XFERSPY_MODE="$mode" \
		LD_PRELOAD="$preload" "$@" || [ ! -s "$trace" ]; then
		note_failure "trace of $*"
	else
		# Where the trace goes, the program's files are not.
		{ "$xferspy" dump --resolve "$trace" -o "$trace.new" >/dev/null &&
			gzip -9n <"$trace.new" >"$trace" && rm "$trace.new"; } ||
			note_failure "source lines of $*"
	fi
}

# record_counters CASE COMMAND...: a run in which the kernels are counted.
record_counters() {
	counted=$1-counters
	shift
	record "$counted" counters "$@" --rounds "$counted_rounds"
	if ! "$xferspy" dump "$trace" | grep -q '^counters '; then
		rm -f "$trace" # the report takes none without counts
		note_failure "counting the kernels of $*"
	fi
}

# run_case WORKLOAD STREAMS VARIANTS COMMAND...: the variants untraced, then the
# two baselines traced, and the kernels counted.
run_case() {
	workload=$1
	streams=$2
	measured=$3
	shift 3
	timeout 120 "$@" --json --rounds "$rounds" --variant "$measured" \
		--streams "$streams" --order "$orders" >"$scratch/measured" ||
		note_failure "$*"
	size=$(sed -n '1s/.*"size": \([0-9]*\).*/\1/p' "$scratch/measured")
	[ -n "$size" ] || return
	as_rows "$workload-$size" "$workload" <"$scratch/measured" \
		>>"$scratch/$workload"
	for variant in pageable pinned; do
		record "$workload-$size-$variant" trace "$@" \
			--rounds "$traced_rounds" --variant "$variant"
	done
	record_counters "$workload-$size" "$@" --variant pinned
}

# run_workload WORKLOAD PROGRAM ARGUMENTS SIZES STREAMS VARIANTS: a line of the
# table.
# shellcheck disable=SC2086 # arguments and sizes are lists of words
run_workload() {
	is_wanted "$1" && find_program "$2" || return
	[ -n "$4" ] || run_case "$1" "$5" "${6:-$variants}" "$path" $3
	for n in $4; do
		run_case "$1" "$5" "${6:-$variants}" "$path" $3 --n "$n"
	done
}

# half_of PROGRAM: of patterns/rules.md; develop or first.
half_of() {
	case $(printf %s "$1" | sha256sum) in
	[02468ace]*) echo develop ;;
	*) echo first ;;
	esac
}

# run_pattern PROGRAM ARGUMENTS HASH: all variants untraced, in turns, then the
# baseline traced and counted. One line of JSON for each measurement.
# shellcheck disable=SC2086 # arguments are a list of words
run_pattern() {
	find_program "patterns/$1" || return
	half=$(half_of "$1")
	traces=$out/validate/patterns/$machine/$half
	mkdir -p "$traces"
	for turn in $(seq "$turns"); do
		timeout 120 "$path" $2 --json --rounds "$rounds" --variant all \
			--streams 4,16 --order "$orders" >"$scratch/measured" ||
			note_failure "$path $2"
		sed "s/^{/{\"turn\": $turn, /" "$scratch/measured" \
			>>"$scratch/.$half"
	done
	case=$(sed -n '1s/.*"workload": "\([^"]*\)", "size": \([0-9]*\).*/\1-\2/p' \
		"$scratch/measured")
	[ -n "$case" ] || return
	[ -z "$3" ] || export XFERSPY_HASH=1
	record "$case-traced" trace "$path" $2 --json --rounds "$traced_rounds" \
		>"$scratch/measured"
	unset XFERSPY_HASH
	sed 's/^{/{"turn": 0, /' "$scratch/measured" >>"$scratch/.$half"
	record_counters "$case" "$path" $2
	as_json <"$scratch/.$half" >"$traces.json"
}

run_patterns() {
	echo "$patterns" | grep . >"$scratch/.patterns"
	while IFS='|' read -r name arguments hash <&3; do
		echo "[$(($(date +%s) - started)) s] $name $arguments"
		run_pattern "$name" "$arguments" "$hash"
	done 3<"$scratch/.patterns"
	traces=$out/traces
}

# What demo and tests read besides.
record_others() {
	find_program stencil || return
	record stencil-512-streams trace "$path" --n 512 \
		--rounds "$traced_rounds" --variant streams --streams 16
	record stencil-512-pageable-static trace "$path-static" --n 512 \
		--rounds "$traced_rounds"
	if python3 -c 'import torch; assert torch.cuda.is_available()' \
		2>/dev/null; then
		record tensors-40 trace python3 "$source_dir/tensors.py"
	else
		echo "measure.sh: no python3 with torch on CUDA:" \
			"leaving out tensors.py"
	fi
}

# rows_of WORKLOAD: the new ones, or else those of an earlier run.
rows_of() {
	cat "$scratch/$1" 2>/dev/null ||
		grep -s "\"workload\": \"$1\"" "$results" | sed 's/,$//'
}

# as_json: an array of the lines that it reads.
as_json() {
	echo "["
	sed '$!s/$/,/'
	echo "]"
}

# Commands get no input from here: what they read is not the table.
each_workload() {
	echo "$workloads" | grep '|' >"$scratch/.table"
	while IFS='|' read -r name program arguments sizes streams some <&3; do
		"$@" "$name" "$program" "$arguments" "$sizes" "$streams" "$some"
	done 3<"$scratch/.table"
}

for part in $(echo "$only" | tr , ' '); do
	printf '%s\ncalibrate|\nothers|\npatterns|' "$workloads" | grep -q "^$part|" || {
		echo "measure.sh: --only $part: no such part" >&2
		exit 1
	}
done
if is_wanted calibrate; then
	timeout 100 "$xferspy" calibrate --name "$machine" \
		-o "$out/validate/results/$machine-machine.json" || note_failure "calibrate"
fi
each_workload run_workload
is_wanted patterns && run_patterns
is_wanted others && record_others

each_workload rows_of >"$scratch/.rows"
as_json <"$scratch/.rows" >"$scratch/.results"
mv "$scratch/.results" "$results"
echo "[$(($(date +%s) - started)) s] $(wc -l <"$scratch/.rows") rows: $results"
find "$traces" "$out/validate" -name '*.xspy' -size +1024k |
	while read -r trace; do echo "measure.sh: over 1 MB: $trace" >&2; done
if [ -n "$failed" ]; then
	echo "measure.sh: these failed:$failed" >&2
	exit 1
fi

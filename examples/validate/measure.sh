#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures every variant of the examples on this machine and records the
# traces that predictions start from.
#
#   examples/validate/measure.sh [BUILD [OUTPUT [MACHINE]]]
#
# BUILD: the build tree (build). OUTPUT: where machines/, traces/ and validate/results/
# go (examples). MACHINE: the profile's name (from the GPU). A part that fails
# is named at the end and leaves the rest standing.
set -u
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-build}" && pwd) || exit 1
mkdir -p "${2:-examples}" && out=$(cd "${2:-examples}" && pwd) || exit 1
machine=${3:-}
programs=$build/examples
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
mkdir -p "$out/machines" "$out/validate/results" "$out/traces"
rows=$(mktemp) || exit 1
trap 'rm -f "$rows"' EXIT

note_failure() {
	echo "measure.sh: failed: $*" >&2
	failed="$failed
  $*"
}

# measure PROGRAM ARGS...: one untraced run; its JSON row goes to $row.
measure() {
	program=$1
	shift
	if row=$(timeout 60 "$programs/$program" --json "$@"); then
		echo "$row"
	else
		row=
		note_failure "$program $*"
	fi
}

# emit BASELINE [STRATEGY]: keeps $row as a row of the results, with the trace
# to predict it from and, where that is not the variant, the strategy's id.
emit() {
	[ -n "$row" ] || return 0
	baseline=null
	[ "$1" = null ] || baseline="\"examples/traces/$1.xspy\""
	echo "$row" | sed -e "s|^{|{\"baseline_trace\": $baseline, |" \
		-e "${2:+s|\"strategy\": \"[a-z-]*\"|\"strategy\": \"$2\"|}" \
		>>"$rows"
}

# both WORKLOAD: $row is predicted from the pageable and the pinned trace.
both() {
	emit "$1-pageable"
	emit "$1-pinned"
}

# measure_all WORKLOAD PROGRAM ARGS...: every variant of one program.
measure_all() {
	workload=$1
	shift
	measure "$@" --variant pageable
	emit "$workload-pageable" as-is
	measure "$@" --variant pinned
	emit "$workload-pageable" pinned
	emit "$workload-pinned" as-is
	for streams in 2 4 8 16 32 64; do
		for order in depth breadth; do
			measure "$@" --variant streams --streams $streams \
				--order $order
			both "$workload"
		done
		measure "$@" --variant hybrid --streams $streams
		both "$workload"
	done
	measure "$@" --variant mapped
	both "$workload"
	measure "$@" --variant pageable-streams --streams 16
	emit null
}

# record NAME COMMAND...: one traced run.
record() {
	trace=$out/traces/$1.xspy
	shift
	rm -f "$trace"
	if ! XFERSPY_OUTPUT=$trace LD_PRELOAD=$preload timeout 60 "$@" ||
		[ ! -s "$trace" ]; then
		note_failure "trace of $*"
	else
		# Where the trace goes, the program's files are not.
		"$build/bin/xferspy" dump --resolve "$trace" ||
			note_failure "source lines of $*"
	fi
}

timeout 100 "$build/bin/xferspy" calibrate --name "$machine" \
	-o "$out/machines/$machine.json" || note_failure "calibrate"

measure_all stencil-512 stencil --n 512 --rounds 10
measure_all vecadd-10000000 vecadd --n 10000000 --rounds 20

record stencil-512-pageable "$programs/stencil" --n 512 --rounds 10
record stencil-512-pinned "$programs/stencil" --n 512 --rounds 10 \
	--variant pinned
record stencil-512-streams "$programs/stencil" --n 512 --rounds 10 \
	--variant streams --streams 16
record stencil-512-pageable-static "$programs/stencil-static" --n 512 \
	--rounds 10
record vecadd-10000000-pageable "$programs/vecadd" --n 10000000 --rounds 20
record vecadd-10000000-pinned "$programs/vecadd" --n 10000000 --rounds 20 \
	--variant pinned
if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
	record tensors-40 python3 "$source_dir/tensors.py"
else
	echo "measure.sh: no python3 with torch on CUDA: leaving out tensors.py"
fi

{
	echo "["
	sed '$!s/$/,/' "$rows"
	echo "]"
} >"$out/validate/results/$machine.json"
echo "$(wc -l <"$rows") rows: $out/validate/results/$machine.json"
ls -l "$out/traces"
if [ -n "$failed" ]; then
	echo "measure.sh: these failed:$failed" >&2
	exit 1
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tracing costs the host: time per empty kernel launch and per 4 KiB
# cudaMemcpyAsync with nothing, with libxferspy.so and with nsys, and bytes of
# trace per op. The three take turns, so that a slow minute hits them all.
# "done": the waiting for the GPU included, each call's share of it.
#
#   examples/overhead.sh [BUILD [TURNS]]
#
# nsys: $NSYS, or one from the PATH, or Nsight Compute's own; left out where
# there is none.
set -eu
build=$(cd "${1:-build}" && pwd)
turns=${2:-7}
bench=$build/examples/launch_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

nsys=${NSYS:-$(command -v nsys || true)}
if [ -z "$nsys" ]; then
	for found in /opt/nvidia/nsight-systems/*/bin/nsys \
		/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys; do
		[ ! -x "$found" ] || nsys=$found
	done
fi
ways="nothing xferspy${nsys:+ nsys}"

run_once() {
	case $1 in
	nothing) "$bench" ;;
	xferspy)
		rm -f trace.xspy
		XFERSPY_OUTPUT=$work/trace.xspy \
			LD_PRELOAD=$build/lib/libxferspy.so "$bench"
		;;
	nsys)
		# What it prints goes elsewhere; it may fail to make a report
		# of what it has recorded, which is all that counts here.
		rm -f nsys-trace.*
		"$nsys" profile -t cuda -s none --cpuctxsw=none \
			-o nsys-trace "$bench" || true
		;;
	esac 2>"$work/errors" | grep '^{"launches"' >>"$work/$1" || {
		echo "overhead.sh: a run failed ($1):" >&2
		cat "$work/errors" >&2
	}
}

# field NAME FILE: one value a line.
field() {
	sed "s/.*\"$1\": \([0-9.]*\).*/\1/" "$2"
}

median() {
	sort -n | awk '{ v[NR] = $1 }
		END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# bytes_per_op WAY: of its last trace.
bytes_per_op() {
	ops=$(($(field launches "$1" | head -n 1) +
		$(field copies "$1" | head -n 1)))
	case $1 in
	xferspy) set -- "$work"/trace.xspy ;;
	nsys) set -- "$work"/nsys-trace.* ;;
	*) return 0 ;;
	esac
	cat "$@" | wc -c | awk -v ops="$ops" '{ printf "%.1f", $1 / ops }'
}

turn=0
failed=0
while [ "$turn" -lt "$turns" ]; do
	for way in $ways; do
		run_once "$way"
	done
	turn=$((turn + 1))
done

# cell NAME WAY: the median of a field, and its ratio to that with nothing.
cell() {
	value=$(field "$1" "$2" | median)
	plain=$(field "$1" nothing | median)
	awk -v v="$value" -v p="$plain" 'BEGIN {
		printf "%.0f ns %.2fx", v, v / p }'
}

printf '%-8s%16s%16s%16s%16s%8s\n' "" "launch" "done" "copy async" \
	"done" "B/op"
for way in $ways; do
	if [ ! -s "$way" ]; then
		echo "$way: no run came to an end"
		failed=1
		continue
	fi
	printf '%-8s%16s%16s%16s%16s%8s\n' "$way" \
		"$(cell launch_ns "$way")" "$(cell launch_done_ns "$way")" \
		"$(cell copy_async_ns "$way")" "$(cell copy_done_ns "$way")" \
		"$(bytes_per_op "$way")"
done
echo "medians of $turns turns"
exit "$failed"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Attacks on the library: programs that use signals, threads, limits and exits
# in hostile ways, with the library preloaded. Prints a line for each attack.
#
#   tests/attacks/run.sh [--long] BUILD [NAME...]
#
# --long: every attack with its full number of repetitions; takes
# minutes to hours. NAME: an attack, which is tests/attacks/NAME.sh. An
# attack ends with 0 if the program was unharmed and the trace is right, with
# 77 if it cannot run here, and prints why otherwise.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
XS_LONG=
if [ "${1:-}" = --long ]; then
	XS_LONG=yes
	shift
fi
[ $# -ge 1 ] || { echo "usage: run.sh [--long] BUILD [NAME...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- "$here"/*.sh

export XS_LONG
export XS_PRELOAD="$build/lib/libxferspy.so"
export XS_COMMAND="$build/bin/xferspy"
export XS_SIM="$build/tests/sim/lib"
export XS_APPS="$build/tests/e2e"
export XS_PROGRAMS="$build/tests/attacks"

failed=0
held=0
for name; do
	name=$(basename "$name" .sh)
	[ "$name" != run ] || continue
	start=$(date +%s)
	status=0
	output=$("$here/$name.sh" 2>&1) || status=$?
	seconds=$(($(date +%s) - start))
	case $status in
	0) said=held held=$((held + 1)) ;;
	77) said=skipped ;;
	*) said=FAILED failed=$((failed + 1)) ;;
	esac
	printf '%-24s %-8s %3d s\n' "$name" "$said" "$seconds"
	if [ "$status" != 0 ] && [ -n "$output" ]; then
		printf '%s\n' "$output" | sed 's/^/    /'
	fi
done
[ "$failed" = 0 ] || exit 1
[ "$held" -gt 0 ] || exit 77

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the libFuzzer targets of a build, each on seeds made from the golden
# traces, machine profiles and seeds/.
#
#   tests/fuzz/run.sh BUILD SECONDS [TARGET...]
#
# TARGET: reader, report, text, chrome, nsys, profile, model,
# digest (default: all). What a target found, and its log, stay in
# BUILD/fuzz/TARGET. Its corpus grows there from run to run.
set -eu
# Of the code that all seeds run; an entry alone, without the libraries, has fewer.
LEAST_EDGES=100
cd "$(dirname "$0")/../.."
build=$(realpath "${1:?run.sh needs a build tree}")
seconds=${2:?run.sh needs a number of seconds}
shift 2
[ $# -gt 0 ] || set -- reader report text chrome nsys profile model digest
repository=$PWD

# Golden traces as text and as binary traces, and one compressed.
copy_traces() {
	mkdir -p "$build/fuzz/traces"
	for trace in tests/analyzer/golden/*.trace tests/report/traces/*.txt; do
		cp "$trace" "$build/fuzz/traces"
		"$build/bin/xferspy" dump --read "$trace" \
			-o "$build/fuzz/traces/$(basename "$trace").xspy"
	done
	gzip -9nc "$build/fuzz/traces/$(basename "$trace").xspy" >"$build/fuzz/traces/compressed"
}

seed() {
	mkdir -p "$build/fuzz/$1/seeds" "$build/fuzz/$1/corpus"
	case $1 in
	profile) cp examples/machines/*.json "$build/fuzz/$1/seeds" ;;
	chrome | digest | model | nsys) cp "tests/fuzz/seeds/$1"/* "$build/fuzz/$1/seeds" ;;
	*) cp "$build/fuzz/traces"/* "$build/fuzz/$1/seeds" ;;
	esac
	# The words of the seeds: kinds, fields, keys, options.
	grep -ahoE -e '[-a-zA-Z_0-9]{2,24}=?' "$build/fuzz/$1/seeds"/*[!y] |
		sort -u | sed 's/.*/"&"/' >"$build/fuzz/$1/words"
}

# Returns 0 unless something was found.
fuzz() (
	cd "$build/fuzz/$1"
	XFERSPY_MACHINES=$repository/examples/machines \
		"$build/tests/fuzz/xs_libfuzzer_$1" -max_total_time="$seconds" \
		-timeout=300 -rss_limit_mb=3000 -max_len=65536 \
		-dict=words -print_final_stats=1 corpus seeds >log 2>&1 && found=0 || found=$?
	grep -aE '^#[0-9]+.*(INITED|DONE)' log | sed "s/^/$1: /"
	edges=$(LC_ALL=C sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' log)
	if [ "${edges:-0}" -lt "$LEAST_EDGES" ]; then
		echo "$1: the seeds reach ${edges:-0} edges: is all code instrumented?"
		found=1
	fi
	[ "$found" = 0 ] || tail -n 40 log
	return "$found"
)

failed=0
pids=
copy_traces
for target in "$@"; do
	seed "$target"
	fuzz "$target" &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || failed=1
done
exit "$failed"

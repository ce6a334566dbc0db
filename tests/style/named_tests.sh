#!/bin/sh
# SPDX-License-Identifier: MIT
# Each test that docs/robustness.md names is there.
#
#   named_tests.sh SOURCES BUILD CTEST
set -u
all=$("$3" --test-dir "$2" --show-only | sed -n 's/^ *Test *#[0-9]*: //p')
printf '%s\n' "$all" | grep -q '^gpu_' || exit 77 # there is no nvcc here
bad=0
seen=0
for name in $(grep -oE '`(attack|e2e|gpu|test)_[a-z_-]+`' "$1/docs/robustness.md" |
	tr -d '`' | sort -u); do
	seen=$((seen + 1))
	if ! printf '%s\n' "$all" | grep -qxF "$name"; then
		echo "docs/robustness.md names a test that is not there: $name"
		bad=1
	fi
done
[ "$seen" -gt 10 ] || {
	echo "docs/robustness.md names $seen tests"
	bad=1
}
exit "$bad"

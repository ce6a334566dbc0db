#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares what the analyzer makes of golden/*.trace with golden/*.expected.
#   golden.sh XS_GOLDEN [-u]     -u: write the expected files anew
here=$(dirname "$0")/golden
golden=$1
failed=0
count=0
for trace in "$here"/*.trace; do
	expected=${trace%.trace}.expected
	if [ "$2" = -u ]; then
		"$golden" "$trace" >"$expected"
	elif ! "$golden" "$trace" | diff -u "$expected" -; then
		echo "differs: $trace" >&2
		failed=1
	fi
	count=$((count + 1))
done
echo "$count golden traces"
[ "$count" -gt 0 ] && [ "$failed" = 0 ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# A launch or a small copy that equals the previous one needs few bytes in the
# trace, call and op together.
. "$(dirname "$0")/lib.sh"

traced "$XS_EXAMPLES/launch_bench" launch,copy 10000
expect "exit code" "$status" 0
read_trace
ops=$(count '^(copy|kernel|set) ')
expect "calls of copies" "$(count '^copycall ')" "$(count '^copy ')"
expect "launches" "$(count '^call ')" "$(count '^kernel ')"
expect "ops with their calls" "$(json matched)" "$ops"
# Used bytes: a file ends with chunks that are partly used, as many as threads
# wrote at the end.
used=$(awk '/^chunk / { sub(/.*used_bytes=/, ""); used += $1 }
	END { print used + 0 }' dump.txt)
within "bytes per op" "$((used / ops))" 1 40

# A report of the trace's text equals that of the trace.
"$XS_COMMAND" report --format json dump.txt | grep -v '"path"' >text.json
grep -v '"path"' report.json | diff - text.json >&2 ||
	fail "the text's report differs"

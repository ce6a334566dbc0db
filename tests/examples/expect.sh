# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by the tests that run the programs, with their arguments:
# PROGRAMS: the folder of the programs; LIBRARIES: of the simulated device.
programs=$1
export LD_LIBRARY_PATH="$2"
count=0
failed=0

# expect CODE PATTERN PROGRAM ARGS...: its exit code and a line of its output.
expect() {
	code=$1
	pattern=$2
	program=$3
	shift 3
	count=$((count + 1))
	output=$("$programs/$program" "$@" 2>&1)
	got=$?
	if [ "$got" -ne "$code" ] || ! echo "$output" | grep -q "$pattern"; then
		echo "failed ($got, not $code, or no '$pattern'): $program $*"
		echo "$output"
		failed=$((failed + 1))
	fi
}

# Prints the totals and exits.
finish() {
	echo "$((count - failed)) passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# Call sites in a program with a statically linked runtime: the runtime's own
# frames lie in the program, too, and must not be call sites.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"
lines=$(awk '/^static void add_round/ { inside = 1 }
	inside && /cudaMemcpy\(/ { print NR }
	inside && /^}/ { exit }' "$here/apps/app.cu")
expect "copies of a round in the source" "$(echo "$lines" | wc -l)" 3

# fields KEY: its distinct values in the phase's sites of copies
fields()
{
	sed -n '/"phases"/,/"verdict"/p' report.json |
		awk -v key="\"$1\":" '
			$1 == "\"callers\":" { beyond = 1 }
			$1 ~ /^\]/ { beyond = 0 }
			beyond { next }
			$1 == "\"call\":" { copy = $2 ~ /"cudaMemcpy"/ }
			$1 == key { value = $0; sub(/^[^:]*: /, "", value) }
			/}/ { if (copy && value != "") print value; value = "" }
		' | sed 's/,$//' | sort -u
}

cp "$XS_APPS/app-static" lines
cp lines symbols
strip --strip-debug symbols
cp lines stripped
strip stripped
for stack in default leaf 1 64; do
	if [ "$stack" = default ]; then
		unset XFERSPY_STACK
	else
		export XFERSPY_STACK="$stack"
	fi
	traced ./lines serial 3
	expect "lines, $stack: exit code" "$status" 0
	read_trace
	expect "lines, $stack" "$(fields line)" "$lines"
	expect "lines, $stack: function" "$(fields function)" '"add_round"'
	offsets=$(fields offset)
	expect "$stack: places" "$(echo "$offsets" | wc -l)" 3
	traced ./symbols serial 3
	read_trace
	expect "symbols, $stack: line" "$(fields line)" null
	expect "symbols, $stack: function" "$(fields function)" \
		'"add_round(arrays*)"'
	expect "symbols, $stack: places" "$(fields offset)" "$offsets"
	"$XS_COMMAND" report ./*.xspy | tr -s ' \n' '  ' |
		grep -q 'cudaMemcpy in add_round (symbols+0x[0-9a-f]*), one call' ||
		fail "symbols, $stack: no function in the text"
	traced ./stripped serial 3
	read_trace
	expect "stripped, $stack: function" "$(fields function)" null
	expect "stripped, $stack: places" "$(fields offset)" "$offsets"
done
unset XFERSPY_STACK

# With one frame a call site has no caller: the runtime's frame is not one.
XFERSPY_STACK=leaf traced ./lines serial 3
read_trace
expect "leaf: callers of copies" \
	"$(count '^site call_class=1 .* caller=[1-9]')" 0

# A function without arguments, since otherwise the arguments identify the
# runtime's frame.
at=$(awk '/^static int waits/ { inside = 1 }
	inside && /cudaDeviceSynchronize/ { print NR; exit }' "$here/apps/app.cu")
XFERSPY_STACK=leaf traced ./lines waits 3
read_trace
grep -q "\"text\": \"cudaDeviceSynchronize at app.cu:$at," report.json ||
	fail "no arguments: not at line $at"

# A static runtime gives the same call sites as a hooked one.
# places: of all calls in phases, with the functions' names
places()
{
	sed -n '/"phases"/,/"verdict"/p' report.json | awk '
		$1 == "\"call\":" { call = $2 }
		$1 == "\"line\":" && call != "" { print call, $2; call = "" }
	' | sort -u
}

# sites_of KIND: number of sites of its records
sites_of()
{
	grep "^$1 " dump.txt | grep -o ' site=[0-9]*' | sort -u | wc -l
}

# callback_count DOMAIN: number of callbacks
callback_count()
{
	sed -n "s/^callbacks of the $1: //p" err
}

# left_on: callbacks enabled at the end
left_on()
{
	sed -n 's/^callbacks left: //p' err
}

# places_of_trace: all sites and their callers
places_of_trace()
{
	sed -n 's/^site .* \(offset=[0-9]*\).*/\1/p' dump.txt | sort -u
}

# Without the pointers of launches, for which launches have the driver's callbacks.
export XS_SIM_CUPTI_LEFT=1 XFERSPY_DATAFLOW=off
traced "$XS_APPS/app" depth 300 8
read_trace
places >hooked
expect "hooked: places" "$(grep -c . hooked)" 3
for stack in default leaf; do
	[ "$stack" = default ] || export XFERSPY_STACK="$stack"
	traced ./lines depth 300 8
	read_trace
	places >static
	cmp -s hooked static || fail "$stack: $(diff hooked static)"
	expect "$stack: lost" "$(json lost)" 0
	expect "$stack: matched" "$(json matched)" \
		"$(json gpu_ops_seen)"
	expect "$stack: sites of copies" "$(sites_of copycall)" 3
	expect "$stack: sites of launches" "$(sites_of call)" 1
	within "$stack: callbacks" "$(callback_count runtime)" 9600 20000
	expect "$stack: the driver's" "$(callback_count driver)" 0
	offsets=$(places_of_trace)
	traced ./stripped depth 300 8
	read_trace
	expect "stripped, $stack" "$(places_of_trace)" "$offsets"
done
unset XFERSPY_STACK

# Before a range begins no call stack is walked. That is no reason to take these
# calls for the program's own driver calls, and to enable all driver callbacks.
XFERSPY_GRAPHS=nodes traced ./stripped depth 300 8
left=$(left_on)
XFERSPY_RANGE=100 traced ./lines depth 300 8
expect "ignored: callbacks" "$(left_on)" "$left"

# Without call stack walks the frames are unknown, as before.
XFERSPY_STACK=off traced ./lines depth 300 8
read_trace
expect "off: matched" "$(json matched)" "$(json gpu_ops_seen)"
within "off: callbacks" "$(callback_count runtime)" 9600 20000
expect "off: the driver's calls" "$(count '^string .*"cu[A-Z]')" 0

# Threads whose calls overlap.
for call_ns in 0 0 0 2000 20000 100000; do
	XS_SIM_CALL_NS=$call_ns traced "$XS_APPS/counted-static" together 200
	what="threads, calls of $call_ns ns"
	read_trace
	for kind in call copycall; do
		expect "$what: $kind" "$(count "^$kind ")" 1600
		expect "$what: $kind: ids" "$(grep "^$kind " dump.txt |
			grep -o ' correlation=[0-9]*' | sort -u | wc -l)" 1600
	done
	expect "$what: matched" "$(json matched)" 3200
	expect "$what: lost" "$(json lost)" 0
	expect "$what: the driver's calls" "$(count '^string .*"cu[A-Z]')" 0
done

# Two runtimes, each in its own object.
traced ./lines library "$XS_APPS/plugin-static.so"
read_trace
expect "two runtimes: matched" "$(json matched)" 38
expect "two runtimes: the driver's calls" "$(count '^string .*"cu[A-Z]')" 0
expect "two runtimes: the driver's callbacks" "$(callback_count driver)" 0

# The second runtime is loaded late.
traced ./lines late-library "$XS_APPS/plugin-static.so"
read_trace
expect "a late runtime: matched" "$(json matched)" 46
expect "a late runtime: the driver's names" \
	"$(count '^string .*"cu[A-Z]')" 0
unset XS_SIM_CUPTI_LEFT

# Driver calls of a hidden runtime have frames of that runtime, too.
cp "$XS_APPS/plugin-static.so" plugin.so
strip --strip-debug plugin.so
cp "$XS_APPS/app" app
strip --strip-debug app
traced ./app library ./plugin.so
expect "hidden: exit code" "$status" 0
read_trace
expect "hidden: function" "$(grep -B 4 '"call": "cuLaunchKernel"' report.json |
	sed -n 's/^ *"function": "\(.*\)",$/\1/p')" run_plugin

# A trace of an older version has the runtime's frames, all copies at 0x6c527;
# with their names alone they are still no call sites. Each copy is on two
# paths, and shown once.
"$XS_COMMAND" dump "$here/../../examples/traces/stencil-512-pageable-static.xspy" |
	sed '/^source /s/file=.*/file=0 line=0/' >old.txt
"$XS_COMMAND" report --format json old.txt >report.json || fail "old: $?"
expect "old: function" "$(fields function)" '"round_serial"'
expect "old: places" "$(fields offset | wc -l)" 2
[ "$(fields offset | grep -c 443687)" -eq 0 ] || fail "old: the runtime's frame"
expect "old: rows" "$(sed -n '/"phases"/,/"verdict"/p' report.json |
	grep -c '"call": "cudaMemcpy"')" 2

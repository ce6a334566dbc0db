#!/bin/sh
# SPDX-License-Identifier: MIT
# XFERSPY_DATAFLOW: the trace has the addresses that each launch was given, and
# says of which launches it does not know them.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"

# given: the addresses of each launch that the trace knows, in order
given()
{
	awk '
		function value(name,   i) {
			for (i = 1; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
		}
		/^pointers / {
			if (value("start") != launch) {
				if (text != "")
					print text
				launch = value("start")
				text = value("known") ":"
				left = value("count")
			}
			for (i = 0; i < 4 && left > 0; i++) {
				left--
				text = text " " value("address" i)
			}
		}
		END { if (text != "") print text }' dump.txt
}

# as_told: what the program printed, in the same form
as_told()
{
	sed 's/^hidden.*/0:/; s/^by_list/3:/; s/^by_variable/6:/; s/^object/5:/; s/^managed/7:/; s/^[a-z_]\+/1:/' out
}

export XS_SIM_NO_LAYOUT=_Z6hiddenPi
for app in pointers pointers-static; do
	plain "$XS_APPS/$app"
	expect "$app: plain" "$status" 0
	for mode in all sample; do
		XFERSPY_DATAFLOW=$mode traced "$XS_APPS/$app" 3
		expect "$app: $mode: exit code" "$status" 0
		read_trace
		expect "$app: launches" "$(count '^call ')" 42
		expect "$app: lost" "$(json lost)" 0
		given >got
		as_told >want
		diff want got >&2 || fail "$app: $mode: not the program's addresses"
	done
	XFERSPY_DATAFLOW=off traced "$XS_APPS/$app" 3
	read_trace
	expect "$app: off" "$(count '^pointers ')" 0
done

# The first launches of each kernel, and all of one 64th of the time.
traced "$XS_APPS/pointers" 2000
read_trace
expect "sample: launches" "$(count '^call ')" 16018
within "sample: bytes of trace a launch" "$(($(stat -c %s ./*.xspy) / 16018))" 1 45
within "sample: launches with pointers" "$(given | wc -l)" 1280 8000

# A question that the driver does not answer yet is asked again.
XS_SIM_NO_LAYOUT=_Z6hiddenPi:2 XFERSPY_DATAFLOW=all traced "$XS_APPS/pointers" 4
read_trace
expect "late: unknown launches" "$(given | grep -c '^0:')" 2
unset XS_SIM_NO_LAYOUT

# A launch that names no kernel is not taken for that of the launch before.
plain "$XS_APPS/pointers" 3
XS_SIM_NO_DRIVER_LAUNCH=_Z6hiddenPi XFERSPY_DATAFLOW=all \
	traced "$XS_APPS/pointers" 3
read_trace
given >got
as_told >want
diff want got >&2 || fail "no kernel named: not the program's addresses"

# Parameters in a buffer, and a module that takes the place of another one.
for app in driver driver-per-thread; do
	XFERSPY_DATAFLOW=all traced "$XS_APPS/$app" pointers 2
	expect "$app, pointers: exit code" "$status" 0
	read_trace
	given >got
	sed -n 's/^launch/1:/p' out >want
	diff want got >&2 || fail "$app, pointers: not the program's addresses"
done

# Memory that is mapped at two addresses, also one after the other; and memory in two
# pieces, the second of which the kernel may read, too.
XFERSPY_DATAFLOW=all traced "$XS_APPS/driver" aliases
read_trace
expect "aliases" "$(given | cut -c1 | paste -sd ' ')" "1 4 4 1 4 1 3 1 4"

# Where memory cannot be read, what was copied and pinned memory may be tables.
cat >forbid.py <<'END'
import ctypes, os, struct, sys
NUMBER = {"x86_64": 310, "aarch64": 270}[os.uname().machine]  # process_vm_readv
rules = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in (
    (0x20, 0, 0, 0), (0x15, 0, 1, NUMBER), (0x06, 0, 0, 0x00050001),
    (0x06, 0, 0, 0x7fff0000))))
filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(rules)))
prctl = ctypes.CDLL(None).prctl
if prctl(38, 1, 0, 0, 0) or prctl(22, 2, ctypes.c_void_p(ctypes.addressof(filters)), 0, 0):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
END
XFERSPY_DATAFLOW=all traced python3 forbid.py "$XS_APPS/pointers" 3
if [ "$status" != 77 ]; then
	read_trace
	expect "forbidden: launches that may be given tables" \
		"$(given | grep -c '^3:')" 7
	expect "forbidden: note" "$(grep -c 'counts as addresses' dump.txt)" 1
fi

# A context ends with its memory and its modules.
for app in driver driver-per-thread; do
	XS_SIM_DEVICES=2 XFERSPY_DATAFLOW=all traced "$XS_APPS/$app" contexts 4
	expect "$app, contexts: exit code" "$status" 0
	read_trace
	given >got
	sed -n 's/^launch/1:/p' out >want
	diff want got >&2 || fail "$app, contexts: not the program's addresses"
done

# What is not recorded as a whole has no pointers.
XFERSPY_DATAFLOW=all XFERSPY_MODE=light traced "$XS_APPS/pointers" 3
read_trace
expect "light: pointers" "$(count '^pointers ')" 0

# Nor does it have the driver's callbacks, which it would not use.
driver_callbacks()
{
	XS_SIM_CUPTI_LEFT=1 XFERSPY_DATAFLOW=$1 XFERSPY_MODE=light \
		traced "$XS_APPS/pointers-static" 3
	sed -n 's/^callbacks of the driver: //p' err
}
expect "light: callbacks" "$(driver_callbacks all)" "$(driver_callbacks off)"

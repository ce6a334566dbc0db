#!/bin/sh
# SPDX-License-Identifier: MIT
# Where there is no NVIDIA driver, that is what calibrate and the report say,
# and not a number. With the toolkit's own runtime and CUPTI: those of the
# simulation need the simulated driver.
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH
if ldconfig -p | grep -q 'libcuda\.so\.1'; then
	echo "skipped: there is a driver here"
	exit 77
fi

plain "$XS_COMMAND" calibrate -o profile.json
expect "calibrate: exit code" "$status" 2
expect "calibrate: message" "$(cat err)" \
	"xferspy: calibrate: there is no NVIDIA driver (libcuda.so.1 was not\
 found); run it where nvidia-smi shows a GPU"
[ ! -e profile.json ] || fail "calibrate: wrote a profile"

# A library of the driver's name in which nothing is as in a driver.
mkdir stub
echo 'int cuInit(unsigned flags) { return (int)flags; }' >stub.c
"$XS_CC" -shared -fPIC stub.c -o stub/libcuda.so.1
LD_LIBRARY_PATH=$work/stub plain "$XS_COMMAND" calibrate
expect "no driver's library: exit code" "$status" 2
grep -q 'libcuda.so.1 lacks cu' err || fail "no driver's library: $(cat err)"

# As of a program that links the CUDA runtime statically.
plain "$XS_COMMAND" run true
grep -q 'true (pid [0-9]*): it called no .*; there is no NVIDIA driver here (libc' err ||
	fail "run: $(cat err)"

traced "$XS_EXAMPLES/vecadd"
expect "traces" "$(traces)" 1
read_trace
if grep -q '^info text="note=no GPU records' dump.txt; then
	grep -q 'records: there is no NVIDIA driver (libcuda' dump.txt ||
		fail "the trace has another reason"
	# the number in a reason: a time of the run may have these digits, too
	grep -q 'UNKNOWN' report.json && fail "a name for a reason"
	grep 'records\|error' report.json | grep -q '999' &&
		fail "a number for a reason"
fi
grep -q '(error 35: there is no NVIDIA driver, or it is too old)' report.json ||
	fail "the report does not explain error 35"
! grep -q 'CUDA events measure' report.json ||
	fail "the report explains times that it does not have"

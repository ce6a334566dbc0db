#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks what the report says the host waited for, for a program whose calls
# wait for kernels in ways that bandwidth does not show.
. "$(dirname "$0")/lib.sh"

# report_has TEXT: in the text report, regardless of line breaks
report_has()
{
	tr -s ' \n' '  ' <report.txt | grep -q -- "$1" ||
		fail "no '$1' in: $(cat report.txt)"
}

# Kernels that last longer than the host may be delayed, and a slow link.
export XS_SIM_GIPS=0.002 XS_SIM_PAGEABLE_GBS=0.1
plain "$XS_APPS/app" waits 5
cp out out.plain
traced "$XS_APPS/app" waits 5
expect "exit code" "$status" 0
cmp -s out out.plain || fail "stdout differs from that without the library"
read_trace
"$XS_COMMAND" report ./*.xspy >report.txt
report_has 'cudaFree at app.cu:[0-9]* waits implicitly for the kernels before it: .* in one call;'
# nothing beside the kernels, unless the host is delayed
report_has 'cudaMemcpy at app.cu:[0-9]*, one call of 4 B: kernels\( [0-9.]* ms\(, its overhead [0-9.]* ms\)\?\)\? [0-9.]* ms [0-9.]* %'
report_has 'cudaMemcpyAsync at app.cu:[0-9]*, one call of 4 MiB, blocks since its memory is pageable: the copy'
expect "places in JSON" "$(sed '/"steady":/,$d' report.json | grep -c '"waited_ns":')" 13

# CUDA's start is reported apart from the pinned allocation that contains it,
# the first call.
XS_SIM_INIT_NS=1000000000 traced "$XS_APPS/app" depth 1
expect "exit code" "$status" 0
read_trace
expect "contexts" "$(count '^context .* time_ns=')" 1
within "start" "$(json init_ns)" 1000000000 1e12
within "pinning" "$(json pinned_alloc_ns)" 1 "$(json init_ns)"

# The same in a call that is not recorded.
cat >set.c <<'EOF'
#include <cuda_runtime_api.h>

int main(void)
{
	void *memory;

	return cudaSetDevice(0) || cudaMalloc(&memory, 4096);
}
EOF
# shellcheck disable=SC2086 # several flags
"$XS_CC" $XS_CC_FLAGS set.c -o set -lcudart
XS_SIM_INIT_NS=1000000000 traced ./set
expect "exit code" "$status" 0
read_trace
within "start in cudaSetDevice" "$(json init_ns)" 1000000000 1e12
grep -q '"init_at_most": true' report.json || fail "start: as if it was seen"

# Memory that is first touched by a copy: 1024 pages, three times.
traced "$XS_APPS/app" fresh 3
expect "exit code" "$status" 0
read_trace
within "copies with faults" "$(count '^faults ')" 3 4
# a sanitizer's shadow is an eighth of the pages more
within "faults" "$(sum '^faults ' minor)" 3072 3600
"$XS_COMMAND" report ./*.xspy >report.txt
report_has 'its page faults are the first touch of at least 12 MiB'
# the time is the machine's, for so many pages
machine="$here/../../examples/machines/h200.json"
touch_ns=$(sed -n '/"touch_byte_ns": {/,/"value"/s/.*"value": \([0-9.]*\).*/\1/p' \
	"$machine")
"$XS_COMMAND" report --machine "$machine" --format json ./*.xspy >report.json
within "time of these, per byte" "$(sed -n 's/^ *"touched_ns": \([0-9]*\).*/\1/p' \
	report.json | sort -n | tail -1 | awk '{ print $1 / (3072 * 4096) }')" \
	"$(awk "BEGIN { print $touch_ns * 0.999 }")" \
	"$(awk "BEGIN { print $touch_ns * 1.06 }")"

# From one call site: whether a call is probed depends on the call, not on the
# previous one.
traced "$XS_APPS/app" one-place 4
expect "one place: output" "$(cat out)" "4 failed, errno kept"
read_trace
within "one place: copies with faults" "$(count '^faults ')" 4 8
within "one place: faults" "$(sum '^faults ' minor)" 4092 4800
expect "one place: small copies" "$(count '^copycall .* bytes=64 .*error=0')" 8
expect "one place: large copies" \
	"$(count '^copycall .* bytes=4194304 .*direction=2 error=0')" 4
expect "one place: copies that failed" \
	"$(count '^copycall .* bytes=0 .*error=[1-9]')" 4
expect "one place: places" "$(grep '^copycall ' dump.txt |
	grep -v 'direction=0 error=0' | # the set
	grep -o ' site=[0-9]*' | sort -u | wc -l)" 1
expect "one place: ops with their calls" "$(json matched)" 13

# Hashes of copies: two inputs, one of which is the output of the round before:
# zeros, b (also the first sum), four more sums.
traced "$XS_APPS/app" back 5
read_trace
expect "contents without being asked" "$(count '^content ')" 0
for how in 1 full; do
	export XFERSPY_HASH="$how"
	plain "$XS_APPS/app" back 5
	cp out out.plain
	traced "$XS_APPS/app" back 5
	cmp -s out out.plain || fail "hash: stdout differs"
	read_trace
	expect "contents" "$(count '^content .* hashed_bytes=65536')" 15
	expect "time of hashing" "$(count '^hashing .* duration=[1-9]')" 15
	expect "different contents" "$(grep '^content ' dump.txt |
		grep -o ' hash=[^ ]*' | sort -u | wc -l)" 6
	grep -q 'measured: the same bytes again in 8 of 8 copies in, 4 of them' \
		report.json || fail "hash: resident is not measured"
done
XFERSPY_HASH=1 traced "$XS_APPS/app" fresh 3
read_trace
expect "sampled" "$(count '^content .* hashed_bytes=1048576')" 6
XFERSPY_HASH=full traced "$XS_APPS/app" fresh 3
read_trace
expect "not sampled" "$(count '^content .* hashed_bytes=4194304')" 6
XFERSPY_HASH=1 traced "$XS_APPS/app" errors
expect "errors: exit code" "$status" 3
unset XFERSPY_HASH

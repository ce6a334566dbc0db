#!/bin/sh
# SPDX-License-Identifier: MIT
# What the report says the host waited for, of a program whose calls wait for
# kernels in ways that bandwidth does not show.
. "$(dirname "$0")/lib.sh"

# report_has TEXT: in the text report, however it is wrapped
report_has()
{
	tr -s ' \n' '  ' <report.txt | grep -q -- "$1" ||
		fail "no '$1' in: $(cat report.txt)"
}

# Kernels of a millisecond and a slow link.
export XS_SIM_GIPS=0.05 XS_SIM_PAGEABLE_GBS=1
plain "$XS_APPS/app" waits 5
cp out out.plain
traced "$XS_APPS/app" waits 5
expect "exit code" "$status" 0
cmp -s out out.plain || fail "stdout differs from that without the library"
read_trace
"$XS_COMMAND" report ./*.xspy >report.txt
report_has 'cudaFree at app.cu:[0-9]* waits for the kernels before it, unasked: .* in 5 calls'
report_has 'cudaMemcpy at app.cu:[0-9]*, 5 calls of 4 B, waits .* for kernels; its own transfer'
report_has 'cudaMemcpyAsync at app.cu:[0-9]* is asynchronous in name only'
expect "places in JSON" "$(grep -c '"waited_ns":' report.json)" 13

#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the simulated device; reports must accept the profile.
. "$(dirname "$0")/lib.sh"

# param NAME: its value in profile.json
param()
{
	sed -n "/^ *\"$1\": {/,/}/s/^ *\"value\": \([^,]*\),\$/\1/p" profile.json
}

# cases FAMILY: of the self-check
cases()
{
	sed -n "/^ *\"$1\": {/,/}/s/^ *\"cases\": *//p" profile.json
}

# measure: writes profile.json; the summary to err
measure()
{
	status=0
	timeout $hangs "$XS_COMMAND" calibrate --name mine >err || status=$?
	expect "exit code" "$status" 0
	stored=$(ls data/xferspy)
	expect "stored" "${stored%%@*}" "$uuid"
	cp "data/xferspy/$stored" profile.json
}

# 6 GB/s in one direction and 5 in both, 5 us of latency and 3 of the copy at
# best; more if this machine is busy. G is a slope, which becomes too small if
# this machine delays only short copies: then it measures again.
export XDG_DATA_HOME="$PWD/data"
# huge pages: touching buffers of 256 MiB takes most of the time otherwise
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
uuid=GPU-00010203-0405-0607-0809-0a0b0c0d0e0f
least_G=0.14
for _ in 1 2 3; do
	measure
	awk -v in_="$(param G_h2d)" -v out="$(param G_d2h)" \
		-v both="$(param G_both_h2d)" -v least=$least_G \
		'BEGIN { exit in_ < least || out < least || both < least }' && break
done
within "G to the device" "$(param G_h2d)" $least_G 100
within "G to the host" "$(param G_d2h)" $least_G 100
within "G to the device, both ways" "$(param G_both_h2d)" $least_G 100
within "L+o" "$(param lo_h2d_ns)" 3000 1e10
# kernels and the host really wait for each other's flags here
within "a poll" "$(param poll_system_ns)" 1 1e9
within "a request" "$(param proxy_ns)" 1 1e10
within "a stored message" "$(param store_64_ns)" 1 1e10
within "a block's loads" "$(param block_load)" 0.0001 1000
expect "implicit synchronisation" \
	"$(sed -n 's/^ *"implicit_sync": //p' profile.json)" false,
expect "passes" "$(sed -n 's/^ *"passes": //p' profile.json)" 3,
expect "explicit rounds" "$(cases explicit)" 9
expect "streamed rounds" "$(cases streams)" 36
expect "mapped rounds" "$(cases mapped)" 9
expect "hybrid rounds" "$(cases hybrid)" 48

# the summary, beside the profile, says the same
grep -q 'streams .*off by at most' err || fail "no self-check in the summary"
expect "failed steps" "$(grep -c '^xferspy:' err)" 0

# and a report accepts the profile
traced "$XS_APPS/app" serial 3
"$XS_COMMAND" report --machine ./profile.json ./*.xspy >out 2>err ||
	fail "report: $?"
tr '\n' ' ' <out | grep -q 'profile mine (calibrated)' ||
	fail "the report has another profile"

# choice REPORT-OPTION...: the profile's name and origin
choice()
{
	"$XS_COMMAND" report --format json "$@" ./*.xspy >report.json
	tr -d ' \n' <report.json | sed \
		's/.*"machine":{"schema":1,"name":"\([^"]*\)".*"origin":"\([a-z]*\)".*/\1 \2/'
}

expect "found without --machine" "$(choice)" "mine calibrated"
expect "named" "$(choice --machine ./profile.json)" "mine calibrated"
expect "fitted" "$(choice --machine fitted)" "fitted fitted"
expect "UUID in the trace" "$("$XS_COMMAND" dump ./*.xspy |
	sed -n 's/^info text="uuid.0=\(.*\)"$/\1/p')" "$uuid"
echo '{' >"data/xferspy/$stored"
expect "damaged" "$(choice)" "fitted fitted"
"$XS_COMMAND" report ./*.xspy | tr '\n' ' ' | tr -s ' ' |
	grep -q 'the stored calibration is refused: machine profile' ||
	fail "nothing on the damaged calibration"

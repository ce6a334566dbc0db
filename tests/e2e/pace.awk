# SPDX-License-Identifier: MIT
# From `xferspy dump` of light mode and the times of each 50th call: how many of
# the `calls` it would have been at the pace of the recording's second half.

$1 == "header" {
	ended = short(field("end_realtime_ns"))
}

$1 == "detail" && field("detail") == 0 {
	over = short(field("time_ns"))
}

/^(call|copycall|waitcall|memcall|again) / {
	recorded[++n] = base + field("start")
}

/^[0-9]+$/ {
	at = short($1)
	half += at >= recorded[int(n / 2)] && at < over
	later += at >= over
}

END {
	time = (ended - over) / (over - recorded[int(n / 2)])
	printf "%d", n + (calls - n) * time * half / later
}

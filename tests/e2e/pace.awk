# SPDX-License-Identifier: MIT
# From `xferspy dump` of light mode and the times of each 50th call: how many of
# the `calls` it would have been at the pace of the recording's second half.
function field(name,	i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return 0
}

# doubles have 53 bits, too short for ns since 1970
function short(text) {
	return substr(text, length(text) - 14) + 0
}

$1 == "header" {
	ended = short(field("end_realtime_ns"))
}

$1 == "chunk" || $1 == "time" {
	base = short(field("base_ns"))
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

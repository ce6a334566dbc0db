# SPDX-License-Identifier: MIT
# From `xferspy dump`: how many copies lie outside of their calls by more than
# 50 us; the median duration, in ns, of each 20 copies, in the order of their
# calls; and the maximum error of CUPTI's clock in ns.

$1 == "clock" {
	off = short(field("cupti_ns")) - short(field("realtime_ns"))
	off = off < 0 ? -off : off
	most = off > most ? off : most
}

$1 == "copycall" {
	from[field("correlation")] = base + field("start")
	to[field("correlation")] = base + field("start") + field("duration")
}

$1 == "copy" {
	id = field("correlation")
	start[id] = base + field("start")
	lasts[id] = field("duration") + 0
	last = id + 0 > last ? id + 0 : last
}

function median(count,	i, j, t) {
	for (i = 2; i <= count; i++)
		for (j = i; j > 1 && group[j - 1] > group[j]; j--) {
			t = group[j]
			group[j] = group[j - 1]
			group[j - 1] = t
		}
	return group[int((count + 1) / 2)]
}

END {
	for (id = 1; id <= last; id++) {
		if (!(id in start))
			continue
		if (id in from)
			outside += start[id] < from[id] - 50000 ||
				   start[id] + lasts[id] > to[id] + 50000
		group[n % 20 + 1] = lasts[id]
		if (++n % 20 == 0)
			printf "median %d %d\n", n / 20 - 1, median(20)
	}
	printf "outside %d\nclock %d\n", outside, most
}

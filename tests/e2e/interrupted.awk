# SPDX-License-Identifier: MIT
# From `xferspy dump`: how often the record of a loop of polls ended within the
# loop, since no poll came for 0.1 s, or after 1 s.

$1 == "pollcall" {
	start = base + field("start")
	n += n_polls++ && !ready && (start - end >= 1e8 ||
		start - begun >= 0.9e9)
	begun = start
	end = start + field("duration")
	ready = field("ready") + 0
}

END { print n + 0 }

# SPDX-License-Identifier: MIT
# The time, in ns, during which an op of one kind and an op of another run at
# once, from `xferspy dump`. Kinds: in, out, kernel.

function kind() {
	if ($1 == "kernel")
		return "kernel"
	if ($1 == "copy")
		return field("direction") == 1 ? "in" : "out"
	return ""
}

$1 == "kernel" || $1 == "copy" {
	n++
	of[n] = kind()
	from[n] = base + field("start")
	to[n] = from[n] + field("duration")
}

END {
	for (i = 1; i <= n; i++) {
		if (of[i] != first)
			continue
		for (j = 1; j <= n; j++) {
			if (of[j] != second)
				continue
			a = from[i] > from[j] ? from[i] : from[j]
			b = to[i] < to[j] ? to[i] : to[j]
			if (b > a)
				total += b - a
		}
	}
	printf "%d\n", total
}

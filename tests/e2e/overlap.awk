# SPDX-License-Identifier: MIT
# The time, in ns, during which an op of one kind and an op of another run at
# once, from `xferspy dump`. Kinds: in, out, kernel.
function field(name,	i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return 0
}

function kind() {
	if ($1 == "kernel")
		return "kernel"
	if ($1 == "copy")
		return field("direction") == 1 ? "in" : "out"
	return ""
}

# awk's numbers are doubles, too short for ns since 1970.
$1 == "chunk" || $1 == "time" {
	text = field("base_ns")
	base = substr(text, length(text) - 14) + 0
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

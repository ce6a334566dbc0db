# SPDX-License-Identifier: MIT
# For scripts that read `xferspy dump`: fields by their names, and `base`, to
# which the times of a record are relative.
function field(name,	i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return 0
}

# Numbers of awk are doubles, too short for ns since 1970.
function short(text) {
	return substr(text, length(text) - 14) + 0
}

$1 == "chunk" || $1 == "time" {
	base = short(field("base_ns"))
}

# SPDX-License-Identifier: MIT
# From `xferspy dump`: how many copies have another size than the call with
# their id, ops end before their call starts, and ids are those of two calls.

/^(copycall|call|waitcall) / && (id = field("correlation")) > 0 {
	wrong += id in start
	start[id] = base + field("start")
	if (/^copycall /)
		bytes[id] = field("bytes")
}

/^(copy|kernel) / && (id = field("correlation")) > 0 {
	end[id] = base + field("start") + field("duration")
	if (/^copy /)
		copied[id] = field("bytes")
}

END {
	# some belong to calls just after a window
	for (id in end)
		wrong += id in start && end[id] < start[id]
	for (id in copied)
		wrong += id in bytes && copied[id] != bytes[id]
	print wrong + 0
}

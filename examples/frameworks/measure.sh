#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Times each program's ways in turns, in three processes, each of which records
# its first way between the turns.
#
#   measure.sh LIBRARY OUT [PROGRAM...]
#
# LIBRARY: libxferspy.so. OUT/PROGRAM-N.json: ms per step of each way, of each
# turn; "recorded": as it was recorded, "steps": how many. OUT/PROGRAM-N.xspy.gz:
# the trace, compressed. A program whose framework is missing has none of them.
set -u
library=$1
out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- jax_put kv_paging to_device loader optimizer \
	cupy_reduction numba_steps decode triton_chunks offload
export XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONDONTWRITEBYTECODE=1

mkdir -p "$out"
for process in 1 2 3; do
	for program; do
		name=$out/$program-$process
		if ! XFERSPY_RANGE=signal XFERSPY_OUTPUT="$name.xspy" \
			LD_PRELOAD="$library" timeout 60 \
			python3 "$here/$program.py" --record >"$name.json"; then
			echo "measure.sh: $program does not run here" >&2
			rm -f "$name.json" "$name.xspy"
		fi
	done
done
for trace in "$out"/*.xspy; do
	gzip -9n <"$trace" >"$trace.new" && mv "$trace.new" "$trace"
done

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The main job, from a fresh clone: builds xferspy, runs an example that knows
# nothing of it under LD_PRELOAD, and reports what each other way of moving
# its data would have brought. Without an NVIDIA GPU the same program runs on
# the simulated device of the tests.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

build=build
stencil=$build/examples/stencil
preload=$build/lib/libxferspy.so
simulated=$build/tests/sim/lib
recorded=examples/traces/stencil-512-pageable.xspy
trace=$build/demo.xspy # stays, for more commands on it
log=$(mktemp)
trap 'rm -f "$log"' EXIT

have_gpu() {
	nvidia-smi -L 2>/dev/null | grep -q '^GPU ' ||
		{ [ -e /dev/nvidia0 ] && ldconfig -p | grep -q 'libcuda\.so\.1'; }
}

# quietly COMMAND...: shows its output only where it fails.
quietly() {
	"$@" >"$log" 2>&1 || {
		cat "$log" >&2
		echo "demo.sh: this failed: $*" >&2
		exit 1
	}
}

# show COMMAND...: prints the command line, as a user would type it; runs it.
show() {
	printf '\n$ %s\n' "$*"
	env "$@"
}

# What is left out is said by CMake; of that, what matters here.
build_all() {
	echo "Building (in $build/)..."
	quietly cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release
	quietly cmake --build "$build"
}

trace_on_gpu() {
	rm -f "$trace"
	show XFERSPY_OUTPUT="$trace" LD_PRELOAD="$preload" \
		"$stencil" --n 512 --rounds 10
	show "$build/bin/xferspy" report "$trace"
}

# Interpreted kernels are slow, so the link is made slow as well, to matter
# beside them; the profile "simulated" has the same numbers.
trace_on_simulation() {
	rm -f "$trace"
	show XS_SIM_H2D_GBS=0.2 XS_SIM_D2H_GBS=0.2 XS_SIM_BIDIR_GBS=0.18 \
		XS_SIM_PAGEABLE_GBS=0.1 LD_LIBRARY_PATH="$simulated" \
		XFERSPY_OUTPUT="$trace" LD_PRELOAD="$preload" \
		"$stencil" --n 48 --rounds 10
	show "$build/bin/xferspy" report "$trace" \
		--machine simulated
}

if have_gpu; then
	gpu=yes
	echo "There is an NVIDIA GPU here: the example runs on it."
else
	gpu=no
	echo "No NVIDIA GPU here: the example runs on a simulated device."
fi
xs_install_packages
build_all

if [ ! -x "$stencil" ] || [ ! -e "$preload" ]; then
	echo "No CUDA toolkit (nvcc and headers) here: leaving out the run of" \
		"the example; below is a trace that was recorded elsewhere."
	gpu=no
elif [ "$gpu" = yes ]; then
	trace_on_gpu
elif [ -e "$simulated/libcuda.so.1" ]; then
	trace_on_simulation
fi

if [ "$gpu" = no ]; then
	printf '\nAnd a trace of the same program, recorded on an H200:\n'
	show "$build/bin/xferspy" report "$recorded" --machine h200
fi

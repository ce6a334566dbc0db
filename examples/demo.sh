#!/bin/sh
# SPDX-License-Identifier: MIT
#
# From a fresh clone: builds xferspy in build-demo/, traces an example program
# and reports what other ways of moving its data would save. Without an NVIDIA
# GPU the program runs on the simulated device of the tests.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

# Not build/, which is the user's own, maybe with other options.
build='build-demo'
stencil=$build/examples/stencil
preload=$build/lib/libxferspy.so
simulated=$build/tests/sim/lib
recorded=examples/traces/stencil-512-pageable.xspy
trace=$build/demo.xspy # stays, for more commands on it
profile=               # options of the report
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

# build_in_steps: says how far it is, beside the log.
build_in_steps() {
	{ NINJA_STATUS='%p ' cmake --build "$build" --target demo 2>&1 ||
		echo "the build failed"; } | tee "$log" |
		awk '$1 ~ /^[0-9]+%$/ && $1 + 0 >= step {
			print "  " $1; fflush(); step = $1 + 20 }'
	! grep -q '^the build failed$' "$log"
}

# CMake also says what is left out, which matters to developers only.
build_all() {
	echo
	echo "Step 1 of 3: building in $PWD/$build"
	echo "  configuring: looking for compilers, libraries and CUDA..."
	quietly cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release
	echo "  compiling; this takes a few minutes the first time..."
	if [ -t 1 ]; then
		cmake --build "$build" --target demo # ninja counts in one line
	else
		build_in_steps || { cat "$log" >&2; exit 1; }
	fi
}

# next_steps: what to type for one's own program.
next_steps() {
	here=$PWD
	printf '\nThe demo is done. %s explains the report.\n' \
		"README.md (\"Reading a report\")"
	printf 'To try your own program%s, in its folder:\n\n' "$where"
	if [ -e "$preload" ]; then
		printf '  %s run -o mine.xspy ./your-program\n' \
			"$here/$build/bin/xferspy"
		printf '  %s report mine.xspy\n' "$here/$build/bin/xferspy"
	else
		cat <<END
  This build has no libxferspy.so, because the headers of the CUDA toolkit are
  missing. Install a toolkit (docs/building.md) and run the demo again.
  Traces of other machines can be read here:

  $here/$build/bin/xferspy report TRACE
END
	fi
}

# no_device: what the example says if CUDA lets it use no GPU, for instance by
# CUDA_VISIBLE_DEVICES. Fails if it can use one.
no_device() {
	! { "$stencil" --n 32 --rounds 1 >/dev/null; } 2>&1
}

trace_on_gpu() {
	show XFERSPY_OUTPUT="$trace" LD_PRELOAD="$preload" \
		"$stencil" --n 512 --rounds 10
}

# The simulated GPU and link are far slower than kernels can be interpreted, so
# that times are the same on a busy machine; the profile "simulated" has the same
# numbers.
trace_on_simulation() {
	show XS_SIM_GIPS=0.02 XS_SIM_H2D_GBS=0.0025 XS_SIM_D2H_GBS=0.0025 \
		XS_SIM_BIDIR_GBS=0.00225 XS_SIM_PAGEABLE_GBS=0.00125 \
		LD_LIBRARY_PATH="$simulated" \
		XFERSPY_OUTPUT="$trace" LD_PRELOAD="$preload" \
		"$stencil" --n 32 --rounds 10
	profile="--machine simulated"
}

where=
if have_gpu; then
	gpu=yes
	echo "There is an NVIDIA GPU here: the example runs on it."
else
	gpu=no
	where=" on a machine with a GPU"
	echo "No NVIDIA GPU here: the example runs on a simulated device."
fi
xs_install_packages
build_all
rm -f "$trace"

printf '\nStep 2 of 3: tracing the example program "stencil"\n'
if [ "$gpu" = yes ] && [ -x "$stencil" ] && why=$(no_device); then
	printf '%s\n' "The example cannot use the GPU, and runs on a simulated" \
		"device ($why)."
	gpu=no
fi
if [ ! -x "$stencil" ] || [ ! -e "$preload" ]; then
	echo "No CUDA toolkit (nvcc and headers) here: the example cannot be" \
		"compiled and is left out."
	gpu=no
elif [ "$gpu" = yes ]; then
	trace_on_gpu
elif [ -e "$simulated/libcuda.so.1" ]; then
	trace_on_simulation
fi

printf '\nStep 3 of 3: reporting\n'
if [ -e "$trace" ]; then
	# shellcheck disable=SC2086 # words
	show "$build/bin/xferspy" report "$trace" $profile
fi
if [ "$gpu" = no ]; then
	printf '\nA trace of the same program, recorded on an H200:\n'
	trace=$recorded profile="--machine h200"
	show "$build/bin/xferspy" report "$trace" $profile
fi
if [ -e "$trace" ]; then
	# shellcheck disable=SC2086
	"$build/bin/xferspy" report "$trace" $profile --format html \
		-o "$build/report.html"
	printf '\nThe same with a timeline, for a browser:\n  %s\n' \
		"$PWD/$build/report.html"
fi
next_steps

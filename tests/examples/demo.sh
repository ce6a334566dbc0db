#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/demo.sh names its build folder and its steps, leaves build/ alone,
# and ends with commands that can be typed as they are. Its build is taken from
# this one. On the simulated device it advises the same on a busy machine.
# demo.sh SOURCES BUILD
set -u
. "$(dirname "$0")/../scratch.sh"

# says TEXT
says() {
	grep -qF -- "$1" "$scratch/out" || fail "the demo does not say: $1"
}

demo() {
	(cd / && PATH=$scratch/tools:$PATH "$scratch/examples/demo.sh") \
		>"$scratch/out" 2>&1 || {
		fail "the demo exits with $?"
		cat "$scratch/out"
	}
}

mkdir "$scratch/build-demo" "$scratch/tools"
ln -s "$1/examples" "$1/tests" "$scratch"
for folder in bin lib examples tests share; do
	[ ! -e "$2/$folder" ] || ln -s "$2/$folder" "$scratch/build-demo"
done
# cmake counts as ninja does, and shows a warning of line 76; packages are there,
# and are not looked for.
printf '#!/bin/sh\necho "$*" >>"%s"\necho " 50%% Building"\necho " 76 | x"\n' \
	"$scratch/cmake" >"$scratch/tools/cmake"
printf '#!/bin/sh\necho installed\n' >"$scratch/tools/dpkg-query"
chmod +x "$scratch"/tools/*

busy=
for _ in 1 2 3 4; do
	sh -c 'while :; do :; done' &
	busy="$busy $!"
done
demo
# shellcheck disable=SC2086 # process ids
kill $busy
says "Step 1 of 3: building in $scratch/build-demo"
says "  50%"
! grep -q '^  76' "$scratch/out" || fail "the demo counts a line of the log"
says "Step 2 of 3: "
says "Step 3 of 3: "
says "What to change"
says "$scratch/build-demo/report.html"
[ -s "$scratch/build-demo/report.html" ] || fail "the demo wrote no page"
# of the simulated device, and of a recorded trace
if grep -q '^\$ .*XS_SIM_GIPS' "$scratch/out"; then
	[ "$(grep -c '^  1\. pinned: ' "$scratch/out")" -eq 2 ] ||
		fail "the demo does not advise to pin: $(cat "$scratch/out")"
	[ "$(grep -c 'divided by its 11 rounds' "$scratch/out")" -eq 2 ] ||
		fail "the same command ran other rounds: $(cat "$scratch/out")"
fi
[ ! -e "$scratch/build" ] || fail "the demo wrote to build/"
grep -q -- '--build build-demo' "$scratch/cmake" ||
	fail "the demo did not build in build-demo"

# The last command, on what the demo traced.
command=$(tail -1 "$scratch/out" | sed 's/^ *//; s/ .*//')
case $command in
/*/build-demo/bin/xferspy) "$command" --version >"$scratch/version" ||
	fail "the last command does not run: $command" ;;
*) fail "the demo does not end with a command: $(tail -1 "$scratch/out")" ;;
esac
if [ -e "$scratch/build-demo/lib/libxferspy.so" ]; then
	says "$command run -o mine.xspy ./your-program"
fi

# A driver that shows no GPU to CUDA.
printf '#!/bin/sh\necho "GPU 0: hidden"\n' >"$scratch/tools/nvidia-smi"
chmod +x "$scratch/tools/nvidia-smi"
export CUDA_VISIBLE_DEVICES=
demo
says "There is an NVIDIA GPU here"
if [ -x "$2/examples/stencil" ] && [ -e "$2/lib/libxferspy.so" ]; then
	says "The example cannot use the GPU, and runs on a simulated"
	says "$ XS_SIM_GIPS"
fi
says "The demo is done."
exit "$failed"

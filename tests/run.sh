#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds, runs the tests.
#
#   tests/run.sh [--all | --full] [--sanitize LIST] [--build DIR] [CTEST-OPTION...]
#   tests/run.sh --fuzz SECONDS
#
# --all: what a change has to pass: gcc and clang with warnings as errors,
# formatting and static analysis, the address, undefined-behaviour and thread
# sanitizers, ten seconds of fuzzing, and last all tests.
# --full: the same with 300 damaged traces, a minute of fuzzing and reports in
# Firefox, then the long attacks, two builds that must give the same bytes, and
# the Debian package installed into this system and removed again, if root. Takes
# an hour.
# --sanitize: such as address,undefined; a build tree of its own unless
# --build says otherwise (build-tests). The rest goes to ctest.
# --fuzz: only fuzzes, for so long; what it finds stays in build-fuzz/fuzz.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

all=
full=
fuzzer=
sanitize=
build=
fuzz_seconds=
while [ $# -gt 0 ]; do
	case $1 in
	--all)
		all=yes
		shift
		;;
	--full)
		all=yes
		full=yes
		shift
		;;
	--sanitize | --build | --fuzz)
		if [ $# -lt 2 ]; then
			echo "run.sh: $1 needs a value" >&2
			exit 1
		fi
		case $1 in
		--build) build=$2 ;;
		--sanitize) sanitize=$2 ;;
		--fuzz) fuzz_seconds=$2 ;;
		esac
		shift 2
		;;
	*) break ;;
	esac
done
: "${build:=build-tests${sanitize:+-$(echo "$sanitize" | tr , -)}}"

# What reads traces, and what writes them; neither needs nvcc, whose programs take
# longer than all the rest to build and are the same for every sanitizer.
readers='xferspy tests/analyzer/all tests/model/all tests/report/all tests/fuzz/all'
writers='tests/preload/all tests/sim/all'
# Sanitized code takes a quarter longer to compile with -O2, and a tenth with -g.
sanitized='-O1 -g1 -DNDEBUG'
# With the default, 256 MB of freed memory that is not used again, tests mostly
# wait for new pages.
export ASAN_OPTIONS=quarantine_size_mb=8

# configure_and_build BUILD SANITIZE [TARGET...]; with $fuzzer, for libFuzzer
configure_and_build() {
	tree=$1
	cmake -S . -B "$tree" -G Ninja -DXFERSPY_WERROR="${all:+ON}" \
		-DXFERSPY_SANITIZE="$2" -DXFERSPY_FUZZER="$fuzzer" \
		${2:+-DCMAKE_C_FLAGS_RELWITHDEBINFO="$sanitized"}
	shift 2
	[ $# -gt 0 ] || set -- all
	cmake --build "$tree" --target "$@"
}

# build_fuzzers TARGET...
build_fuzzers() {
	CC=clang fuzzer=ON configure_and_build build-fuzz address,undefined "$@"
}

# lend_reader BUILD: a build of what writes traces gets a command that reads them.
lend_reader() {
	mkdir -p "$1/bin"
	cp build-fuzz/bin/xferspy "$1/bin"
}

# run_tests BUILD CTEST-OPTION...
run_tests() {
	tree=$1
	shift
	# two more than processors, since many tests wait for the simulated device
	ctest --test-dir "$tree" --output-on-failure -j $(($(nproc) + 2)) "$@"
}

# Installs the package as a user would, and removes it.
try_package() {
	if [ "$(id -u)" != 0 ] || ! command -v dpkg >/dev/null; then
		echo "skipped: the package, which root installs on Debian"
		return
	fi
	if dpkg-query -W xferspy >/dev/null 2>&1; then
		echo "skipped: the package, since xferspy is installed"
		return
	fi
	(cd "$1" && cpack -G DEB -B package >/dev/null)
	dpkg -i "$1"/package/xferspy*.deb
	package_status=0
	/usr/bin/xferspy --version || package_status=$?
	/usr/bin/xferspy run true 2>&1 | grep 'no trace of true' ||
		package_status=1
	dpkg -r xferspy
	return $package_status
}

xs_install_packages ${all:+$XS_CHECK_PACKAGES} ${full:+$XS_FULL_PACKAGES} \
	${fuzz_seconds:+clang}
# python3 may be a script that looks for the interpreter, for a second each time.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=
case $python in
'' | "$(command -v python3)") ;;
*) PATH=${python%/*}:$PATH ;;
esac
if [ -n "$fuzz_seconds" ]; then
	build_fuzzers fuzzers
	tests/fuzz/run.sh build-fuzz "$fuzz_seconds"
	exit
fi
if [ -n "$all" ]; then
	# a debug build: warnings of large frames depend on the optimisation
	# shellcheck disable=SC2086
	CC=clang CMAKE_BUILD_TYPE=Debug configure_and_build build-clang '' $writers
	tests/lint.sh build-clang
	# without long runs, in which one path runs again and again; the plain
	# build below has them
	# shellcheck disable=SC2086
	build_fuzzers $readers
	lend_reader build-clang
	run_tests build-clang -R '^test_preload'
	slow="model_as_is|report_(every_trace|long_traces|first_steps|schemas|two_screens)"
	# nor with scripts that start the same commands again and again: mutants.py
	# gives damaged traces to report, dump, diff and export but for OTF2, and
	# fuzz_report renders all formats
	[ -n "$full" ] || slow="$slow|report_(cli|dask_page|export|formats|json_page)
		|test_report_(golden|long_trace)"
	run_tests build-fuzz -R '^(analyzer|fuzz|model|report|test)_' \
		-E "_preload|^($(echo "$slow" | tr -d '\n\t'))\$"
	tests/fuzz/run.sh build-fuzz "$([ -z "$full" ] && echo 10 || echo 60)"
	# without the limit of stack depth, which sanitized code exceeds, and what
	# the simulated device mostly works in; whole programs in the full check only
	left_out='attack_(depth|large_copy|many_streams|wrapped_ids)
		|e2e_(counted|calibrate|detach|detail|graphs|static)'
	[ -n "$full" ] || left_out="$left_out|attack_(full_disk|light_no_room)"
	# shellcheck disable=SC2086
	configure_and_build build-tests-address address,undefined $writers \
		tests/attacks/all ${full:+tests/e2e/all}
	lend_reader build-tests-address
	run_tests build-tests-address \
		-R "^(attack|preload|test_preload${full:+|e2e})_" \
		-E "^($(echo "$left_out" | tr -d '\n\t'))\$"
	# The simulated device runs a program's threads for it, unseen by the
	# sanitizer; what the library's own threads share is in its unit tests, of
	# which the long ones with one thread are left to the full check.
	alone='test_preload_(content|kernel_layout|live_memory|sampling_policy)'
	[ -z "$full" ] || alone=none
	configure_and_build build-tests-thread thread tests/preload/all
	lend_reader build-tests-thread
	run_tests build-tests-thread -R '^(test_preload|preload)' -E "^$alone\$"
	if [ -n "$full" ]; then
		tests/report/mutants.py build-fuzz/bin/xferspy 300
	fi
fi
configure_and_build "$build" "$sanitize"
# one browser is enough for each change
[ -z "$all" ] || [ -n "$full" ] || set -- -E '^html_firefox$' "$@"
run_tests "$build" "$@"
if [ -n "$full" ]; then
	tests/attacks/run.sh --long "$build"
	tests/report/reproducible.sh .
	try_package "$build"
fi

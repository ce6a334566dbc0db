#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds, runs the tests.
#
#   tests/run.sh [--all] [--sanitize LIST] [--build DIR] [CTEST-OPTION...]
#
# --all: what a change has to pass: gcc and clang with warnings as errors,
# formatting and static analysis, the address, undefined-behaviour and thread
# sanitizers, and last all tests.
# --sanitize: such as address,undefined; a build tree of its own unless
# --build says otherwise (build-tests). The rest goes to ctest.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

all=
sanitize=
build=
while [ $# -gt 0 ]; do
	case $1 in
	--all)
		all=yes
		shift
		;;
	--sanitize | --build)
		if [ $# -lt 2 ]; then
			echo "run.sh: $1 needs a value" >&2
			exit 1
		fi
		if [ "$1" = --build ]; then build=$2; else sanitize=$2; fi
		shift 2
		;;
	*) break ;;
	esac
done
: "${build:=build-tests${sanitize:+-$(echo "$sanitize" | tr , -)}}"

# configure_and_build BUILD SANITIZE [TARGET]
configure_and_build() {
	cmake -S . -B "$1" -G Ninja -DXFERSPY_WERROR="${all:+ON}" \
		-DXFERSPY_SANITIZE="$2"
	cmake --build "$1" --target "${3:-all}"
}

# run_tests BUILD CTEST-OPTION...
run_tests() {
	tree=$1
	shift
	ctest --test-dir "$tree" --output-on-failure -j "$(nproc)" "$@"
}

xs_install_packages ${all:+$XS_CHECK_PACKAGES}
if [ -n "$all" ]; then
	CC=clang configure_and_build build-clang ''
	tests/lint.sh build-clang
	run_tests build-clang -R '^test_'
	configure_and_build build-tests-address address,undefined
	run_tests build-tests-address
	# The simulated device runs a program's threads for it, unseen by the
	# sanitizer; what the library's own threads share is in its unit tests.
	configure_and_build build-tests-thread thread tests/preload/all
	run_tests build-tests-thread -R '^(test_preload|preload)'
fi
configure_and_build "$build" "$sanitize"
run_tests "$build" "$@"

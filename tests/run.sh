#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds with warnings as errors, runs the tests.
#
#   tests/run.sh [--sanitize LIST] [--build DIR] [CTEST-OPTION...]
#
# --sanitize: such as address,undefined; a build tree of its own unless
# --build says otherwise (build-tests). The rest goes to ctest.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh

sanitize=
build=
while [ $# -gt 0 ]; do
	case $1 in
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

xs_install_packages
cmake -S . -B "$build" -G Ninja -DXFERSPY_WERROR=ON \
	-DXFERSPY_SANITIZE="$sanitize"
cmake --build "$build"
exec ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@"

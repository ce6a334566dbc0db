#!/bin/sh
# SPDX-License-Identifier: MIT
# An installation works where it is, and after it was moved.
# install.sh BUILD CMAKE PREFIX [HAVE_CUDA]
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
unset XFERSPY_MACHINES
failed=0

fail() {
	echo "failed: $*"
	failed=1
}

# works WHAT PREFIX: profiles and the library belong to this installation
works() {
	"$2/bin/xferspy" report --machine list >"$scratch/list" ||
		fail "$1: --machine list exits with $?"
	grep -q '^h200 ' "$scratch/list" || fail "$1: no profile h200"
	"$2/bin/xferspy" model --machine nosuch --h2d-ms 1 --d2h-ms 1 \
		--kernel-ms 1 2>"$scratch/error"
	grep -q "$2/share/xferspy/machines" "$scratch/error" ||
		fail "$1: profiles are looked for elsewhere:" \
			"$(cat "$scratch/error")"
	[ -z "$have_cuda" ] && return
	preload=$("$2/bin/xferspy" run sh -c 'echo "$LD_PRELOAD"')
	case $preload in
	"$2"/lib*/libxferspy.so*) ;;
	*) fail "$1: the library is $preload" ;;
	esac
}

build=$1
cmake=$2
prefix=$3
have_cuda=${4:-}
# With a component, the manifest of the user's own installation is kept.
DESTDIR=$scratch/first "$cmake" --install "$build" --component Unspecified \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cmake --install"
}
works "installed" "$scratch/first$prefix"
mv "$scratch/first$prefix" "$scratch/second"
works "moved" "$scratch/second"
exit "$failed"

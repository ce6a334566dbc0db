#!/bin/sh
# SPDX-License-Identifier: MIT
# An installation works where it is, and after it was moved, and can be removed.
# install.sh SOURCES BUILD CMAKE PREFIX [HAVE_CUDA]
set -u
. "$(dirname "$0")/../scratch.sh"
unset XFERSPY_MACHINES

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

sources=$1
build=$2
cmake=$3
prefix=$4
have_cuda=${5:-}
# With a component, the manifest of the user's own installation is kept.
DESTDIR=$scratch/first "$cmake" --install "$build" --component Unspecified \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cmake --install"
}
works "installed" "$scratch/first$prefix"
mv "$scratch/first$prefix" "$scratch/second"
works "moved" "$scratch/second"

# Nothing of an installation is left. The manifest is that of the user's own
# installation, so another folder has one for this test.
mkdir "$scratch/build"
cp "$build/install_manifest_Unspecified.txt" \
	"$scratch/build/install_manifest.txt"
DESTDIR=$scratch/third "$cmake" --install "$build" --component Unspecified \
	>"$scratch/out" 2>&1 || fail "cmake --install"
for file in bash-completion/completions/xferspy man/man1/xferspy.1 \
	fish/vendor_completions.d/xferspy.fish; do
	[ -e "$scratch/third$prefix/share/$file" ] || fail "not installed: $file"
done
find "$scratch/third$prefix/share/zsh" -name _xferspy | grep -q . ||
	fail "not installed: _xferspy"
touch "$scratch/third$prefix/bin/other"
DESTDIR=$scratch/third "$cmake" -DBUILD="$scratch/build" \
	-P "$sources/report/install/uninstall.cmake" >"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "uninstall"
}
left=$(find "$scratch/third" ! -type d)
[ "$left" = "$scratch/third$prefix/bin/other" ] ||
	fail "left after uninstalling: $left"
[ ! -e "$scratch/third$prefix/share/xferspy" ] || fail "an empty folder is left"
"$cmake" -DBUILD="$scratch/build" -P "$sources/report/install/uninstall.cmake" \
	>"$scratch/out" 2>&1 && fail "uninstalled twice"
exit "$failed"

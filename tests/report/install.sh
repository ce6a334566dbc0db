#!/bin/sh
# SPDX-License-Identifier: MIT
# An installation works where it is, and after it was moved, and can be removed;
# so does the tarball. install.sh SOURCES BUILD CMAKE CPACK PREFIX [HAVE_CUDA]
set -u
. "$(dirname "$0")/../scratch.sh"
unset XFERSPY_MACHINES

# works WHAT PREFIX: profiles and the library belong to this installation
works() {
	for script in sample container; do
		[ -x "$2/share/xferspy/centre/$script.sh" ] || fail "$1: no $script.sh"
	done
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

# module_works NAME COMMAND PREFIX: `module load` finds the command
module_works() {
	[ -e "$2" ] || return
	(
		export MODULEPATH="$3/share/xferspy/modulefiles"
		eval "$("$2" sh load xferspy 2>"$scratch/error")"
		[ "$(command -v xferspy)" = "$3/bin/xferspy" ]
	) || fail "$1: no xferspy: $(cat "$scratch/error")"
}

sources=$1
build=$2
cmake=$3
cpack=$4
prefix=$5
have_cuda=${6:-}
# With a component, the manifest of the user's own installation is kept.
DESTDIR=$scratch/first "$cmake" --install "$build" --component Unspecified \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cmake --install"
}
works "installed" "$scratch/first$prefix"
mv "$scratch/first$prefix" "$scratch/second"
works "moved" "$scratch/second"
module_works Lmod /usr/share/lmod/lmod/libexec/lmod "$scratch/second"
module_works "Environment Modules" \
	"${XS_MODULECMD:-/usr/lib/x86_64-linux-gnu/modulecmd.tcl}" "$scratch/second"
# Debug information must not name the folders of a build.
for file in "$scratch/second/bin/xferspy" "$scratch"/second/lib*/libxferspy.so; do
	[ -e "$file" ] || continue
	grep -qaF "$sources/" "$file" && fail "$file names $sources"
	grep -qaF "$build/" "$file" && fail "$file names $build"
done

"$cpack" -G TGZ --config "$build/CPackConfig.cmake" -B "$scratch/package" \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cpack"
}
mkdir "$scratch/unpacked"
tar -xzf "$scratch"/package/xferspy-*.tar.gz -C "$scratch/unpacked" \
	--strip-components 1
works "unpacked" "$scratch/unpacked"

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

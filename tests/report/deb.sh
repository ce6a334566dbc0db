#!/bin/sh
# SPDX-License-Identifier: MIT
# The package of Debian has what it needs, and works where it is unpacked.
# deb.sh BUILD CPACK VERSION [HAVE_CUDA]
set -u
for tool in dpkg-deb dpkg-shlibdeps; do
	command -v "$tool" >/dev/null || {
		echo "skipped: no $tool"
		exit 77
	}
done
. "$(dirname "$0")/../scratch.sh"
unset XFERSPY_MACHINES

# field NAME PATTERN
field() {
	dpkg-deb -f "$package" "$1" | grep -q "$2" ||
		fail "$1 is '$(dpkg-deb -f "$package" "$1")', not '$2'"
}

# The build tree is up to date, so nothing is built here.
"$2" -G DEB --config "$1/CPackConfig.cmake" -B "$scratch/package" \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cpack"
}
package=$(echo "$scratch"/package/*.deb)
field Package '^xferspy$'
field Version "^$3"
field Description '^predicts what other data transfers'
field Maintainer .
field Section '^devel$'
for library in libc6 libjansson4 libsmartcols1 libdw1; do
	field Depends "$library"
done

root=$scratch/root
dpkg-deb -x "$package" "$root" || fail "it cannot be unpacked"
for file in share/man/man1/xferspy.1 share/doc/xferspy/copyright \
	share/bash-completion/completions/xferspy; do
	[ -e "$root/usr/$file" ] || fail "it lacks $file"
done
find "$root/usr/share/zsh" -name _xferspy | grep -q . || fail "it lacks _xferspy"
find "$root" -type f ! -path "$root/usr/*" | grep . && fail "files outside /usr"
grep -q "MIT License" "$root/usr/share/doc/xferspy/copyright" ||
	fail "the licence is another one"
"$root/usr/bin/xferspy" report --machine list | grep -q '^h200 ' ||
	fail "it has no profiles"
if [ -n "${4:-}" ]; then
	"$root/usr/bin/xferspy" run sh -c 'echo "$LD_PRELOAD"' 2>"$scratch/out" |
		grep -q "^$root/usr/lib.*/libxferspy.so" ||
		fail "it has no library: $(cat "$scratch/out")"
fi
exit "$failed"

# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What building and testing needs beyond a fresh Debian 12 or Ubuntu 24.04, in
# one place; g++ is for nvcc. Sourced by examples/demo.sh and tests/run.sh.

XS_PACKAGES="gcc g++ libc6-dev cmake ninja-build pkg-config
	libjansson-dev libsmartcols-dev libdw-dev libelf-dev libxxhash-dev
	libsqlite3-dev libcmocka-dev libzstd-dev zlib1g-dev python3"

# What checking a change needs on top.
# shellcheck disable=SC2034 # for tests/run.sh
XS_CHECK_PACKAGES="clang clang-format cppcheck shellcheck libjemalloc2
	python3-jsonschema protobuf-compiler libotf2-trace-dev otf2-tools
	openmpi-bin mpich python3-dask"
# What loads modules: of Debian's two, each removes the other.
# shellcheck disable=SC2034 # for tests/run.sh
[ -e /usr/share/modules/init ] || XS_CHECK_PACKAGES="$XS_CHECK_PACKAGES lmod"
# What all of the checks need on top of that.
XS_FULL_PACKAGES=
# The browsers of the tests html_*, which Ubuntu has as snaps alone. Firefox takes
# 80 MB to fetch and 310 to unpack.
if grep -qsx 'ID=debian' /etc/os-release; then
	XS_CHECK_PACKAGES="$XS_CHECK_PACKAGES chromium-headless-shell"
	# shellcheck disable=SC2034 # for tests/run.sh
	XS_FULL_PACKAGES=firefox-esr
fi

# xs_install_packages [PACKAGE...]: installs those that are missing, and the
# PACKAGEs, as root or through sudo; where neither is to be had, prints the
# command to run and fails.
xs_install_packages() {
	if ! command -v dpkg-query >/dev/null; then
		echo "Not Debian or Ubuntu: install the packages in" \
			"docs/building.md, if the build stops for one" >&2
		return 0
	fi
	xs_missing=
	for xs_package in $XS_PACKAGES "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$xs_package" \
			2>/dev/null | grep -qx installed ||
			xs_missing="$xs_missing $xs_package"
	done
	[ -n "$xs_missing" ] || return 0
	if [ "$(id -u)" = 0 ]; then
		xs_root=
	elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo; } \
		>/dev/null 2>&1; then
		xs_root=sudo
	else
		echo "Packages are missing. Run this as root, then try again:
  apt-get update && apt-get install -y --no-install-recommends$xs_missing" >&2
		return 1
	fi
	echo "Installing:$xs_missing"
	# shellcheck disable=SC2086 # a list of words
	$xs_root apt-get -qq update &&
		$xs_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install \
			-y --no-install-recommends $xs_missing >/dev/null
}

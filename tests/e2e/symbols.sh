#!/bin/sh
# SPDX-License-Identifier: MIT
# Source lines of calls, in programs that are built in different ways.
. "$(dirname "$0")/lib.sh"

# Replaces the only trace by its copy with source lines.
resolve()
{
	"$XS_COMMAND" dump --resolve ./*.xspy -o resolved >/dev/null ||
		fail "dump --resolve: $?"
	rm ./*.xspy
	mv resolved resolved.xspy
}
export XFERSPY_CUPTI="$XS_CUPTI"
unset DEBUGINFOD_URLS
cp "$here/apps/places.c" .
touch -d '1 hour ago' places.c
at=$(awk '/return cudaMemcpy/ { print NR; exit }' places.c)

# build OUTPUT FLAG...
build()
{
	output=$1
	shift
	# shellcheck disable=SC2086 # a list of flags
	"$XS_CC" $XS_CC_FLAGS -O2 -Wl,--build-id "$@" places.c -o "$output" \
		"$XS_CUDART" -ldl || fail "cannot build $output"
}

# has_line WHAT FUNCTION: the copy has this line, and the report its text
has_line()
{
	expect "$1: exit code" "$status" 0
	read_trace
	has_place "$1" "$2"
}

# The same for the current report.
has_place()
{
	grep -q "\"line\": $at,\$" report.json || fail "$1: no line"
	grep -q "\"function\": \"$2\"" report.json || fail "$1: no function"
	grep -q '"text": "return cudaMemcpy(device,' report.json ||
		fail "$1: not the line's text"
}

build pie -g -fPIE -pie
build no-pie -g -fno-pie -no-pie
build lines -g1
traced ./pie
gzip -c ./*.xspy >zipped
"$XS_COMMAND" dump --resolve zipped -o none 2>message && fail "zipped: resolved"
grep -q 'zipped: it is compressed (write it with' message ||
	fail "zipped: $(cat message)"
for name in pie no-pie lines; do
	traced ./$name
	has_line "$name" upload
	# With a direct call, and with a call stack walk for each call.
	XFERSPY_STACK=4 traced ./$name
	has_line "$name, walked" upload
	[ "$(count '^site .* caller=[1-9]')" -gt 0 ] ||
		fail "$name: no caller with XFERSPY_STACK=4"
	sed -n '/"callers"/,/]/p' report.json | grep -q '"function": "main"' ||
		fail "$name: no caller in the report"
done
# A table of addresses without those of this unit, as Go's linker writes it.
for unit in before after; do
	echo "int $unit(int i); int $unit(int i) { return i + 1; }" >$unit.c
done
for unit in before places after; do
	# shellcheck disable=SC2086 # a list of flags
	"$XS_CC" $XS_CC_FLAGS -O2 -g -fPIE -c $unit.c || fail "cannot build $unit.o"
done
objcopy -R .debug_aranges -R .rela.debug_aranges places.o
"$XS_CC" -pie -Wl,--build-id before.o places.o after.o -o partly "$XS_CUDART" -ldl ||
	fail "cannot build partly"
traced ./partly
has_line "partly in the table of addresses" upload
XFERSPY_STACK=leaf traced ./pie
has_line "leaf" upload
expect "leaf: callers" "$(count '^site .* caller=[1-9]')" 0

# A separate file of debugging information, beside the program or below it.
cp pie linked
objcopy --only-keep-debug linked linked.debug
objcopy --strip-debug --add-gnu-debuglink=linked.debug linked
traced ./linked
has_line "debuglink" upload
mkdir .debug
mv linked.debug .debug
traced ./linked
has_line "debuglink in .debug" upload
# By its build id, where distributions keep such files: in a directory of our
# own that hides the real one, if that is permitted.
id=$(readelf -n linked | awk '/Build ID/ { print $3 }')
below="debug/.build-id/$(echo "$id" | cut -c 1-2)"
mkdir -p "$below"
mv .debug/linked.debug "$below/$(echo "$id" | cut -c 3-).debug"
hidden="mount --bind '$work/debug' /usr/lib/debug"
if unshare --user --map-root-user --mount sh -c "$hidden" 2>err; then
	traced ./linked
	expect "build id: exit code" "$status" 0
	unshare --user --map-root-user --mount \
		sh -c "$hidden && '$XS_COMMAND' report --format json ./*.xspy" \
		>report.json
	has_place "build id" upload
else
	echo "not tried, a debug file by its build id: $(cat err)"
fi
traced ./linked
read_trace
grep -q '"function": "move"' report.json ||
	fail "symbols alone: not the function"

# Without symbols the report shows the module and the offset.
cp pie stripped
strip stripped
traced ./stripped
read_trace
grep -q '"module": ".*/stripped"' report.json || fail "stripped: no module"
grep -q '"offset": [1-9]' report.json || fail "stripped: no offset"
grep -q '"function": "move"' report.json && fail "stripped: a function"
"$XS_COMMAND" dump --resolve ./*.xspy -o copy >out || fail "stripped: a code"
rm copy

# A module that was loaded later, by a relative path.
build libmove.so -g -DLIBRARY -fPIC -shared
build loader -DLOADER
traced ./loader "$work/libmove.so"
has_line "dlopen" upload
traced ./loader ./libmove.so
has_line "dlopen by a relative path" upload

# Another module at the address of one that was unloaded.
cat >plugin.c <<'EOF'
#include <cuda_runtime_api.h>

int run(void *device);

int run(void *device)
{
	static char host[4096];
	int failed = 0;

	for (int i = 0; i < 10; i++)
		failed += cudaMemcpy(device, host, BYTES,
				     cudaMemcpyHostToDevice) != cudaSuccess;
	return failed;
}
EOF
cat >host.c <<'EOF'
#include <cuda_runtime_api.h>
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *device;
	int failed = cudaMalloc(&device, 4096) != cudaSuccess;

	for (int i = 1; i < argc; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW);
		int (*run)(void *) = 0;

		if (!plugin)
			return 2;
		*(void **)&run = dlsym(plugin, "run");
		failed += run(device);
		dlclose(plugin);
	}
	return failed;
}
EOF
# shellcheck disable=SC2086 # several flags
for bytes in 1024 2048; do
	"$XS_CC" $XS_CC_FLAGS -g -shared -fPIC -DBYTES=$bytes plugin.c \
		-o plugin$bytes.so -lcudart
done
# shellcheck disable=SC2086 # several flags
"$XS_CC" $XS_CC_FLAGS host.c -o host -lcudart -ldl
for mode in trace light; do
	for stack in 1 8; do
		XFERSPY_MODE=$mode XFERSPY_STACK=$stack traced ./host \
			./plugin1024.so ./plugin2048.so ./plugin1024.so
		expect "plugins, $mode: status" "$status" 0
		read_trace
		expect "plugins, $mode, $stack frames: modules" \
			"$(count '^module .*')" 3
		expect "plugins, $mode, $stack frames: places" "$(sed -n \
			's/^copycall site=\([0-9]*\) .* bytes=\([0-9]*\) .*/\1 \2/p' \
			dump.txt | sort -u | wc -l)" 3
	done
done

# The program's file is gone: what was resolved before is kept in the trace.
traced ./pie
resolve
rm pie
read_trace
grep -q "\"line\": $at,\$" report.json || fail "resolved in time: no line"
# What could not be resolved is told.
cp no-pie moved
traced ./moved
rm moved
status=0
"$XS_COMMAND" dump --resolve ./*.xspy -o copy >out 2>err || status=$?
expect "moved: exit code" "$status" 2
grep -q '/moved: it is not on this machine; the copy lacks its lines' err ||
	fail "moved: not told"
rm copy
# The same if another file has its name by now, even if one of its addresses has
# no source line.
cat >lineless.c <<'EOF'
int cudaFree(void *);
__attribute__((constructor)) static void start_cuda(void)
{
	volatile int error = cudaFree(0);
	(void)error;
}
EOF
"$XS_CC" -O2 -g0 -fPIE -c lineless.c && strip -x lineless.o ||
	fail "cannot build lineless.o"
build changing -g -fPIE -pie lineless.o
traced ./changing
resolve
cp no-pie changing
read_trace
grep -q "\"line\": $at,\$" report.json || fail "resolved, another: no line"
grep -q "changed since the run" report.json && fail "resolved: lines are missed"

# A source that was changed since is not quoted.
touch -d '1 hour' places.c
"$XS_COMMAND" report --format json ./*.xspy >report.json
grep -q '"text": null' report.json || fail "the text of a changed file"
# Nor is another program with the same path and another build id.
build no-pie -g -O0 -fno-pie -no-pie
build pie -g -O1 -fPIE -pie -DLOADER
traced ./no-pie
cp pie no-pie
read_trace
grep -q "\"line\": $at,\$" report.json && fail "lines of another program"
grep -q "changed since the run" report.json || fail "no word of that"
# Without a build id the modification time decides.
build no-pie -g -O0 -fno-pie -no-pie -Wl,--build-id=none
traced ./no-pie
read_trace
grep -q "\"line\": $at,\$" report.json || fail "no build id: no line"
touch -d '1 minute' no-pie
read_trace
grep -q "changed since the run" report.json || fail "no word of its time"

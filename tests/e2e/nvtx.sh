#!/bin/sh
# SPDX-License-Identifier: MIT
# NVTX ranges are recorded, and the program does what it does without us.
. "$(dirname "$0")/lib.sh"
[ -x "$XS_APPS/nvtx" ] || exit 77 # no NVTX headers
export XFERSPY_CUPTI="$XS_CUPTI"

# same MODE [N]: output and exit code equal those without the library.
same()
{
	plain "$XS_APPS/nvtx" "$@"
	expect "$*: exit code without" "$status" 0
	cp out out.plain
	traced "$XS_APPS/nvtx" "$@"
	unharmed "$*"
}

# ranges NAME: how many of that name are in the dump
ranges()
{
	awk -v name="$1" '
		$1 == "string" && index($0, "text=\"" name "\"") {
			sub("id=", "", $3); ids[$3] = 1 }
		$1 ~ /^nvtx/ { used[substr($3, 6)]++ }
		END { for (id in ids) total += used[id]; print total + 0 }' \
		dump.txt
}

# ends NAME NAME: those of these two names, in the order in which they ended
ends()
{
	awk -v one="$1" -v other="$2" '
		$1 == "string" {
			for (i = 1; i <= 2; i++) {
				name = i == 1 ? one : other
				if (index($0, "text=\"" name "\""))
					names[substr($3, 4)] = name
			}
		}
		$1 ~ /^nvtx/ {
			id = substr($3, 6)
			if (id in names)
				printf " %s", names[id]
		}' dump.txt
}

same steps 5
read_trace
for name in step "halo exchange" out; do
	expect "$name" "$(ranges "$name")" 5
done
expect "main, from before CUDA's start" "$(ranges main)" 1
expect "wide characters, in UTF-8" "$(ranges 'compute α')" 5
expect "domain" "$(count '^string .*text="solver"')" 1
expect "in it" "$(count '^nvtx .*domain=[1-9]')" 5
expect "all" "$(count '^nvtx')" 21
expect "damage" "$(count '^# damaged')" 0
expect "lost" "$(count '^loss ')" 0

same odd
read_trace
expect "process" "$(ranges request)" 1
expect "ended by another thread" "$(count '^nvtx_process ')" 1
expect "of two domains, that cross" "$(ends crossed crossing)" \
	' crossed crossing'
expect "PyTorch's numbers" "$(ranges 'aten::mul')" 2
expect "a long name is cut" "$(ranges "$(printf 'h%.0s' $(seq 243))")" 1
expect "not popped" "$(ranges 'never popped')" 0
# three without a name
expect "lost" "$(sum '^loss what=5 ' count)" 3
expect "damage" "$(count '^# damaged')" 0
if grep -q "$(printf '\033')" dump.txt; then
	fail "an escape sequence in the dump"
fi

same deep 400
read_trace
expect "as deep as there is room" "$(ranges base)/$(ranges deep)" 1/339
expect "of domains without room" "$(ranges beyond)/$(ranges other)" 0/0
expect "the pop of the one without room" "$(ends between base)" ' between base'
expect "deep: lost" "$(sum '^loss what=5 ' count)" 63
expect "deep: damage" "$(count '^# damaged')" 0

same many 9000
read_trace
expect "names" "$(count '^nvtx ')" 8192
expect "lost names" "$(sum '^loss what=5 ' count)" 808

same domains 8192
read_trace
expect "ranges of the domain without room" \
	"$(ranges 'name 1')/$(ranges 'name 2')" 1/2
expect "they are lost" "$(sum '^loss what=5 ' count)" 1

export XFERSPY_RANGE=profiler
same outside 9000
unset XFERSPY_RANGE
read_trace
expect "after others outside" "$(ranges recorded)" 1
expect "began outside" "$(count '^nvtx ')" 1
expect "outside: lost" "$(sum '^loss what=5 ' count)" 0

same signals
read_trace
within "handlers" "$(ranges handler)" 100 1e9
expect "nesting" "$(ranges inner)" "$(ranges outer)"
expect "signals: damage" "$(count '^# damaged')" 0
expect "signals: lost calls" "$(json lost)" 0

if [ "$(uname -m)" = x86_64 ]; then
	same popped-twice
	read_trace
	expect "popped twice: damage" "$(count '^# damaged')" 0
	expect "popped twice: those after it" "$(ranges next)" 299
fi

same fork-after
read_trace
expect "fork: of the parent" "$(ranges parent)/$(ranges both)" 1/1
expect "fork: of the child" "$(ranges 'in the child')" 0
same fork-before
expect "fork before CUDA: traces" "$(traces)" 2
for file in *.xspy; do
	"$XS_COMMAND" dump "$file" >dump.txt || fail "dump $file"
	expect "fork before CUDA" "$(ranges both)" 1
	expect "of one process" "$(($(ranges parent) + $(ranges child)))" 1
done

same stack
for used in $(sed -n 's/^stack //p' err); do
	within "bytes of stack" "$used" 1 2048
done

# 110 to 143 ns on the host of an H200, which has fast clocks.
traced "$XS_APPS/nvtx" cost
cost=$(sed -n 's/ ns a range$//p' err)
within "ns of a range" "$cost" 20 600

# Without CUDA there is no trace.
same nothing
expect "no CUDA: traces" "$(traces)" 0
expect "no CUDA: stderr" "$(cat err)" ""

# Outside of what is to be recorded, and without tracing.
export XFERSPY_RANGE=600
same steps
unset XFERSPY_RANGE
dump_trace
expect "out of the range" "$(count '^nvtx')" 0
XFERSPY_MODE=off traced "$XS_APPS/nvtx" steps
unharmed off
expect "off: traces" "$(traces)" 0

# Another tool gets the ranges.
other=$work/other.so
cat >other.c <<'C'
#include <unistd.h>
int InitializeInjectionNvtx2(void *get_table);
int InitializeInjectionNvtx2(void *get_table)
{
	return get_table && write(2, "other\n", 6) == 6;
}
C
"$XS_CC" -shared -fPIC other.c -o "$other"
NVTX_INJECTION64_PATH=$other traced "$XS_APPS/nvtx" steps
unharmed "another tool"
read_trace
expect "another tool is called" "$(grep -c '^other$' err)" 1
expect "another tool: ranges" "$(count '^nvtx')" 0
expect "another tool: said" "$(count 'records the NVTX ranges')" 1
NVTX_INJECTION64_PATH=none traced "$XS_APPS/nvtx" steps
unharmed "no tool"
read_trace
expect "no tool: ranges" "$(count '^nvtx')" 0
expect "no tool: said" "$(count 'records the NVTX ranges')" 0

# A copy of the library is no other tool, whatever its name.
mkdir copy
cp "$XS_PRELOAD" copy/libxferspy.so
cp "$XS_PRELOAD" copy/renamed.so
for name in libxferspy renamed; do
	NVTX_INJECTION64_PATH=$work/copy/$name.so traced "$XS_APPS/nvtx" steps
	unharmed "copy $name"
	read_trace
	expect "copy $name: ranges" "$(ranges step)" 3
	expect "copy $name: said" "$(count 'records the NVTX ranges')" 0
done

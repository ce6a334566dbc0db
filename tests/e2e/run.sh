#!/bin/sh
# SPDX-License-Identifier: MIT
# xferspy run says why there is no trace.
. "$(dirname "$0")/lib.sh"

silent='called no CUDA function'

# says WHAT TEXT: on stderr, once
says()
{
	expect "$1: $2" "$(grep -c "$2" err)" 1
}

plain "$XS_COMMAND" run true
expect "true: exit code" "$status" 0
says "true" "^xferspy: no trace of true (pid [0-9]*): it $silent"
expect "true: output" "$(cat out)" ""
says "true, with a driver" "programs that it starts write traces of their own"

# Coreutils close stderr before the library's destructors.
plain "$XS_COMMAND" run ls /dev/null
expect "ls: output" "$(cat out)" /dev/null
says "ls" "^xferspy: no trace of ls (pid [0-9]*): it $silent"
plain "$XS_COMMAND" run sh -c 'exec ls /dev/null 2>&-'
expect "closed: silent" "$(cat err)" ""

# A child that closed stderr does not hold it open.
mkfifo never
"$XS_COMMAND" run sh -c '(exec </dev/null >/dev/null 2>&1; read -r _ <never) &
	echo $! >child' 2>&1 | timeout $hangs cat >out || fail "a child has stderr"
says_out=$(grep -c "$silent" out)
expect "child: silent" "$says_out" 1
kill "$(cat child)"

plain "$XS_COMMAND" run "$XS_APPS/app" serial 1
expect "CUDA: exit code" "$status" 0
expect "CUDA: silent" "$(grep -c "$silent" err)" 0
expect "CUDA: traces" "$(traces)" 1
rm -f ./*.xspy

plain "$XS_COMMAND" run -o 'a b.xspy' "$XS_APPS/app" serial 1
says "a blank" "Next: xferspy report '/.*/a b.xspy'\$"
rm -f ./*.xspy

# A program that only starts another one, which has its own trace.
plain "$XS_COMMAND" run sh -c "$XS_APPS/app serial 1; exit 3"
expect "shell: exit code" "$status" 3
says "shell" "no trace of sh (pid [0-9]*): it $silent"
says "shell" 'xferspy report .*xspy'
expect "shell: traces" "$(traces)" 1
plain "$XS_COMMAND" run sh -c "exec $XS_APPS/app serial 1"
expect "exec: silent" "$(grep -c "$silent" err)" 0

plain "$XS_COMMAND" run sh -c '(exit 1); (exit 2); exit 3'
says "forks" "no trace of sh (pid [0-9]*): it $silent"

# A program that only starts CUDA: others run it beside the one that works.
cat >starts.c <<'EOF'
#include <cuda_runtime_api.h>

int main(int argc, char **argv)
{
	int count;

	(void)argv;
	return cudaGetDeviceCount(&count) || (argc > 1 && cudaFree(0));
}
EOF
# shellcheck disable=SC2086
"$XS_CC" $XS_CC_FLAGS starts.c -o starts -lcudart
plain "$XS_COMMAND" run ./starts
expect "starts CUDA: exit code" "$status" 0
says "starts CUDA" "no trace of starts (pid [0-9]*): it $silent"
traced sh -c './starts; ./starts free'
expect "starts CUDA, beside one: lines" "$(grep -c . err)" 1
expect "starts CUDA, beside one: traces" "$(traces)" 1
rm -f ./*.xspy
XFERSPY_RANGE=profiler traced ./starts
expect "starts CUDA, no range: traces" "$(traces)" 1
says "no range" 'but recorded nothing: no call between cudaProfilerStart() and '
rm -f ./*.xspy
XFERSPY_CUPTI=none traced ./starts
expect "starts CUDA, calls are not seen: traces" "$(traces)" 1
rm -f ./*.xspy

plain "$XS_COMMAND" run -o "$work/none/a.xspy" echo ran
expect "no folder: exit code" "$status" 2
says "no folder" 'none/a.xspy: the folder does not exist'
expect "no folder: output" "$(cat out)" ""

# Misspelt variables and wrong values are told when CUDA starts, also without run.
XFERSPY_MODES=light XFERSPY_MODE=fast traced ./starts free
expect "variables: exit code" "$status" 0
expect "variables: lines" "$(wc -l <err)" 3
says "unknown" '^xferspy: XFERSPY_MODES is no variable of xferspy; it is ignored$'
says "wrong" '^xferspy: XFERSPY_MODE=fast is not valid (trace, light,.* or off); traced as usual$'
XFERSPY_DATAFLOW=on traced "$XS_APPS/app" serial 1
says "wrong dataflow" 'sample, all or off); pointers are recorded as usual$'
"$XS_COMMAND" dump ./*.xspy | grep -q '^pointers ' || fail "wrong dataflow: no pointers"
XFERSPY_MODE=fast XFERSPY_SUMMARY=0 traced ./starts free
expect "variables, no summary" "$(cat err)" ""
XFERSPY_MODE=fast OMPI_COMM_WORLD_RANK=1 traced ./starts free
expect "variables, rank 1" "$(grep -c 'is not valid' err)" 0

# A program in this folder, which the shell would not find either.
plain "$XS_COMMAND" run starts
expect "here: exit code" "$status" 127
says "here" 'starts: No such file or directory; it is here: put ./ before its name$'

mkdir folder
plain "$XS_COMMAND" run folder
expect "a folder: exit code" "$status" 127
says "a folder" 'folder: No such file or directory; name a program that can be run$'

# Not asked for.
plain env LD_PRELOAD="$XS_PRELOAD" true
expect "without run" "$(cat err)" ""
XFERSPY_SUMMARY=0 plain "$XS_COMMAND" run true
expect "no summary" "$(cat err)" ""
XFERSPY_MODE=off plain "$XS_COMMAND" run true
expect "off" "$(cat err)" ""

# _exit() runs no destructors, and a child of vfork() calls it, too.
cat >leave.c <<'END'
#include <unistd.h>
int main(void)
{
	if (vfork() == 0)
		_exit(1);
	_exit(5);
}
END
"$XS_CC" leave.c -o leave
plain "$XS_COMMAND" run ./leave
expect "_exit: exit code" "$status" 5
says "_exit" "no trace of leave .*$silent"

# A program's name that would control a terminal.
name=$(printf 'p\033q')
cp leave "$name"
plain "$XS_COMMAND" run "./$name"
says "control" 'no trace of p\\x1bq '

# Programs that the loader preloads nothing into.
echo 'int main(void) { return 4; }' >alone.c
if "$XS_CC" -static alone.c -o alone 2>err; then
	plain "$XS_COMMAND" run ./alone
	expect "static: exit code" "$status" 4
	says "static" '^xferspy: ./alone: it is statically linked, so it cannot'
	PATH=$work:$PATH plain "$XS_COMMAND" run alone
	says "static in PATH" '^xferspy: alone: it is statically linked'
fi
"$XS_CC" alone.c -o owned
if chown 65534 owned 2>err && chmod u+s owned; then
	plain "$XS_COMMAND" run ./owned
	expect "setuid: exit code" "$status" 4
	says "setuid" '^xferspy: ./owned: it is setuid or setgid, so it cannot'
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# A static-pie program has a dynamic section and no loader: nothing is
# preloaded, and nothing is said, except by `xferspy run`.
. "$(dirname "$0")/../e2e/lib.sh"

cat >alone.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	printf("%d\n", dlopen("libcuda.so.1", RTLD_NOW) != 0);
	return 4;
}
END
"${CC:-cc}" -static-pie alone.c -o alone 2>err || exit 77
traced ./alone
expect "exit code" "$status" 4
expect "stderr" "$(cat err)" ""
expect "traces" "$(traces)" 0
plain "$XS_COMMAND" run ./alone
expect "run: exit code" "$status" 4
expect "run: stderr" "$(cat err)" "xferspy: ./alone: it is statically linked, \
so it cannot be traced; programs that it starts can be"

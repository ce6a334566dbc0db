#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the trace goes: `run -o` never leaves an earlier trace under the name
# that it was given, and says so if it cannot; the library never replaces a
# file, and names the one that it wrote.
. "$(dirname "$0")/lib.sh"
unset XFERSPY_OUTPUT

# launches FILE
launches()
{
	"$XS_COMMAND" dump "$1" >dump.txt || fail "xferspy dump $1: $?"
	count '^kernel '
}

# A second run: its trace has the name, and the earlier one a suffix.
export PMI_RANK=3
for name in t.xspy 'r.%r.xspy' "$work/a.%h.xspy"; do
	for rounds in 5 7; do
		plain "$XS_COMMAND" run -o "$name" "$XS_APPS/app" serial $rounds
		expect "$name: exit code" "$status" 0
	done
	file=$(echo "$name" | sed "s/%r/3/; s/%h/$(uname -n)/")
	expect "$name: new" "$(launches "$file")" 7
	expect "$name: earlier" "$(launches "$file.old")" 5
	expect "$name: files" "$(find . -name "$(basename "$file")*" | wc -l)" 2
	rm -f "$file" "$file.old"
done

# A name that would control a terminal, in the line at exit.
name=$(printf 'a\033[31m\302\233\303\251.xspy')
plain "$XS_COMMAND" run -o "$name" "$XS_APPS/app" serial 5
expect "control: exit code" "$status" 0
grep -q "wrote .*a\\\\x1b\\[31m\\\\xc2\\\\x9b$(printf '\303\251').xspy" err ||
	fail "control: not escaped"
expect "control: lines" "$(wc -l <err)" 1
rm "$name"

# A program that does not use CUDA leaves no trace, and no stale one.
plain "$XS_COMMAND" run -o t.xspy "$XS_APPS/app" serial 5
cp t.xspy base.xspy
plain "$XS_COMMAND" run -o t.xspy true
expect "no CUDA: exit code" "$status" 0
[ ! -e t.xspy ] || fail "no CUDA: the earlier trace has the name"

# A program that cannot be run: the earlier trace keeps its name.
cp base.xspy t.xspy
plain "$XS_COMMAND" run -o t.xspy ./nowhere
expect "nowhere: exit code" "$status" 127
cmp -s base.xspy t.xspy || fail "nowhere: the earlier trace is gone"
rm -f t.xspy.old

# No trace, a link, or a trace that a process writes: refused in words.
echo mine >mine
ln -s base.xspy link
"$XS_COMMAND" dump base.xspy |
	sed "s/^header .*/&/; s/ state=1 / state=0 /; s/ pid=[0-9]* / pid=$$ /" \
		>live.txt
"$XS_COMMAND" dump --read live.txt -o live.xspy
cp live.xspy live.before
for file in mine link live.xspy; do
	plain "$XS_COMMAND" run -o $file "$XS_APPS/app" serial 5
	expect "$file: exit code" "$status" 2
	grep -q "^xferspy: .*/$file: .*; name another file" err ||
		fail "$file: no word"
	[ ! -s out ] || fail "$file: the program ran"
	[ ! -e $file.1 ] || fail "$file: $file.1"
done
expect "no trace: kept" "$(cat mine)" mine
cmp -s live.xspy live.before || fail "live.xspy: changed"

# The library alone: the line at exit names the file.
LD_PRELOAD="$XS_PRELOAD" XFERSPY_OUTPUT=base.xspy \
	timeout -k 5 $hangs "$XS_APPS/app" serial 5 >out 2>err
grep -q '^xferspy: wrote base.xspy.1 (.*). Next: xferspy report base.xspy.1$' err ||
	fail "preloaded: the line does not name the file"
expect "preloaded: rounds" "$(launches base.xspy.1)" 5

# A shell reads the name in it as one word, and the command as a file.
for file in "it's.xspy" '#1.xspy' '~a.xspy' '-o.xspy' 'a!{b}.xspy'; do
	LD_PRELOAD="$XS_PRELOAD" XFERSPY_OUTPUT=$file \
		timeout -k 5 $hangs "$XS_APPS/app" serial 1 >out 2>err
	eval "set -- $(sed -n 's/.*Next: xferspy report //p' err)"
	expect "$file: launches" "$(launches "$1")" 1
done

# A device or a pipe is no trace: nothing is written beside it, and no open
# waits for a reader.
mkfifo pipe
for place in /dev/null "$work/pipe"; do
	XFERSPY_OUTPUT=$place traced "$XS_APPS/app" serial 5
	expect "$place: exit code" "$status" 0
	[ ! -e "$place.1" ] || fail "$place: $place.1"
	grep -q "^xferspy: no trace: cannot create $place: it is a device, a pipe or a socket; " err ||
		fail "$place: no word"
done
XFERSPY_LOG="$work/pipe" XFERSPY_OUTPUT=logged.xspy traced "$XS_APPS/app" serial 5
expect "log to a pipe: exit code" "$status" 0
expect "log to a pipe: rounds" "$(launches logged.xspy)" 5

# Ranks that are not listed leave no trace and no word.
for rank in 1 2; do
	PMI_RANK=$rank PMI_SIZE=4 XFERSPY_RANKS=0,2-3 \
		plain "$XS_COMMAND" run -o 'one.%r.xspy' "$XS_APPS/app" serial 5
	expect "rank $rank: exit code" "$status" 0
	expect "rank $rank: lines" "$(wc -l <err)" $((rank - 1))
done
[ ! -e one.1.xspy ] || fail "rank 1 has a trace"
expect "rank 2: rounds" "$(launches one.2.xspy)" 5
for info in rank=2 ranks=4 'numa_node=[0-9]*' numa_node.0=0; do
	grep -q "^info text=\"$info\"" dump.txt || fail "rank 2: no $info"
done

# Without a launcher the rank is 0, and a second process has a name of its own.
unset PMI_RANK SLURM_PROCID RANK
XFERSPY_OUTPUT=%r.xspy traced sh -c "'$XS_APPS/app' serial 3; '$XS_APPS/app' serial 4"
expect "rank 0: rounds" "$(launches 0.xspy)" 3
expect "rank 0, again: rounds" "$(launches 0.xspy.1)" 4

# Children inherit CUDA_INJECTION64_PATH from a traced program, so one that
# drops LD_PRELOAD is traced, too, unless it is switched off.
child="env -u LD_PRELOAD $XS_APPS/app serial 3"
XFERSPY_OUTPUT=%p.xspy traced sh -c "$child"
expect "without LD_PRELOAD: traces" "$(traces)" 1
XFERSPY_OUTPUT=%p.xspy traced sh -c "XFERSPY_MODE=off $child"
expect "switched off: traces" "$(traces)" 0

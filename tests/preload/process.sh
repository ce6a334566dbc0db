#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs whole processes with the preloaded library, on a CUDA runtime whose functions only
# return: checks the application's results and the trace.
# process.sh XFERSPY LIBRARY APP CUPTI SANITIZER
. "$(dirname "$0")/../scratch.sh"
xferspy=$1 library=$2 app=$3 cupti=$4 sanitizer=$5
answers='0 1 0 1 0 0 0 2 1'
cd "$scratch" || exit 1

# is WHAT HAS WANTED
is() {
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

has() {
	case $2 in
	*"$3"*) ;;
	*) fail "$1: no '$3' in: $2" ;;
	esac
}

# run ENVIRONMENT HOW: runs the program with the library, without CUPTI. Sets $code,
# $out, $err and $traces.
run() {
	rm -f ./*.xspy*
	# shellcheck disable=SC2086 # words
	env LD_PRELOAD="$library" XFERSPY_CUPTI=/no/libcupti XFERSPY_OUTPUT=app.%p.xspy \
		$1 "$app" $2 >out 2>err
	ended $? "$1 $2"
}

ended() {
	code=$1 what=$2 out=$(cat out) err=$(cat err)
	shopt -s nullglob
	traces=(app.*.xspy*)
}

# trace COUNT [STATE]: so many traces were written, and the last one is in dump.
trace() {
	is "$what: traces" "${#traces[@]}" "$1"
	[ "$1" -gt 0 ] || return
	"$xferspy" dump "${traces[-1]}" >dump 2>dump.err || fail "$what: damaged"
	is "$what: dump" "$(cat dump.err)" ''
	grep -q "^header .* state=${2:-1} .* lost_calls=0 " dump ||
		fail "$what: $(grep ^header dump)"
}

count() {
	grep -c "^$1 " dump
}

# The calls of use_cuda() in app.c.
calls() {
	is "$what: calls" \
		"$(count memcall) $(count copycall) $(count call) $(count waitcall)" '3 2 1 1'
}

info() {
	grep -qF "info text=\"$1" dump || fail "$what: no $1"
}

# Results are unchanged.
run '' ''
is results "$code $out" "3 $answers"
trace 1
calls
is memory "$(grep ^memcall dump | grep -o 'address=.*' | cut -d' ' -f1,2,5)" \
	'address=0x7000040 bytes=64 error=0
address=0x7000040 bytes=0 error=0
address=0 bytes=0 error=2'
is copies "$(grep ^copycall dump | grep -oE '(bytes|dst|direction|error)=\w+' | xargs)" \
	'bytes=64 dst=0x7000040 direction=1 error=0 bytes=0 dst=0 direction=0 error=1'

# The summary is one line.
is summary "$err" \
	"xferspy: wrote ${traces[0]} (12 KiB). Next: xferspy report ${traces[0]}"
run XFERSPY_SUMMARY=0 ''
is 'no summary' "$err" ''
trace 1
# A pipe without a reader, as after `./app 2>&1 | head -1`, is harmless.
mkfifo pipe
(
	trap - PIPE
	exec 3<>pipe 4>pipe 3<&-
	LD_PRELOAD=$library XFERSPY_LOG=1 XFERSPY_CUPTI=/no/libcupti XFERSPY_OUTPUT=app.%p.xspy \
		"$app" >out 2>&4
)
is 'closed pipe' $? 3

# A file on descriptor 2 is unchanged.
run '' own-file
is 'own file' "$code $(cat own-file)" '3 '
trace 1

# Without CUDA, and switched off, nothing is left.
run '' nothing
is nothing "$code $err" '0 '
trace 0
run XFERSPY_MODE=off ''
is off "$out $err" "$answers "
trace 0
run XFERSPY_OUTPUT=/no/such/folder/x ''
is 'no folder' "$code $out" "3 $answers"
has 'no folder' "$err" 'xferspy: no trace: cannot create /no/such/folder/x: No such file or directory; set XFERSPY_OUTPUT'

# Every exit closes the trace; that of a killed process can be read.
for exit in '_exit 7 1' '_Exit 8 1' 'quick_exit 9 1' 'kill 137 0'; do
	read -r how wanted state <<<"$exit"
	run '' "$how" 2>/dev/null
	is "$how" "$code $out" "$wanted $answers"
	trace 1 "$state"
	calls
done

# Children of a traced process write nothing.
run '' fork-after
is 'fork after' "$code $out" "6 $answers
$answers"
trace 1
calls

# A child that was forked during look-ups can load libraries, even though xferspy asks
# the loader for the objects of new call sites meanwhile. With a thread sanitizer,
# dlopen() takes a lock that forks do not wait for.
if [[ $sanitizer != *thread* ]]; then
	run '' fork-beside
	is 'fork beside' "$code" 0
	trace 1
	# one more without optimisation
	case $(count site) in
	1032 | 1033) ;;
	*) fail "fork beside: $(count site) sites" ;;
	esac
fi

# A child that was forked before CUDA is traced.
run '' fork-before
is 'fork before' "$out" "$answers
$answers"
both=("${traces[@]}")
is 'fork before: traces' ${#both[@]} 2
for file in "${both[@]}"; do
	traces=("$file")
	trace 1
	calls
	is 'fork before: name' "$file" "app.$(sed -n 's/^header .* pid=\([0-9]*\) .*/\1/p' dump).xspy"
done

# Threads lose nothing.
run '' threads
is threads "$code" 0
trace 1
is 'threads: copies' "$(count copycall) $(count site)" '8000 1'
[ "$(count thread)" -ge 8 ] || fail "threads: $(count thread)"

# The program does not notice that its trace is overwritten in the middle of the run.
rm -f ./*.xspy* out
{
	timeout 60 sh -c 'until grep -q ready out; do sleep 0.02; done' 2>/dev/null
	head -c 4096 /dev/zero 1<>"$(echo app.*.xspy)"
	echo
} | env LD_PRELOAD="$library" XFERSPY_CUPTI=/no/libcupti XFERSPY_OUTPUT=app.%p.xspy \
	"$app" interrupted >out 2>err
ended $? overwritten
is overwritten "$code $out" "3 ready
$answers"
has overwritten "$err" 'was truncated or overwritten'
is 'overwritten: traces' "${#traces[@]}" 1
[ "$(stat -c %s "${traces[0]}")" -ge 4096 ] || fail 'overwritten: it is short'

# A call after the end still works.
run '' late
is late "$code $out" "3 $answers"
is 'late: traces' "${#traces[@]}" 1

# rights OWNER MODE: runs a program that loads the library itself, as CUDA would.
rights() {
	rm -f ./*.xspy* log
	cp "$app" copy && chown "$1" copy && chmod "$2" copy && chmod 777 .
	(umask 0 && XFERSPY_OUTPUT=app.%p.xspy XFERSPY_CUPTI=/no/lib XFERSPY_LOG=log \
		./copy load "$library" >out 2>err)
	ended $? "$1 $2"
	rm copy
	chmod 755 .
	is "$what" "$code $out" "3 $answers"
}
# A setuid program is not traced. Only root can change a file's owner, the others must
# see the library, and one with the address sanitizer must be loaded at the start.
if [ "$(id -u)" = 0 ] && [[ $sanitizer != *address* ]] &&
	setpriv --reuid=65534 --clear-groups test -r "$library"; then
	rights root 755
	trace 1
	[ -e log ] || fail 'rights: no log'
	rights nobody 4755
	trace 0
	[ ! -e log ] || fail 'rights: a log'
fi

# The trace states its coverage.
run 'XFERSPY_MODE=wrong XFERSPY_HASHES=secret' 'a b'
trace 1
for text in "app=$app a b" host= mode=trace 'note=XFERSPY_MODE=wrong is not valid (trace, ' \
	'note=XFERSPY_HASHES is no variable of ' 'note=libcupti was not found'; do
	info "$text"
done
has cudart "$(grep 'info text="cudart=dynamic:/' dump)" /libcudart.so.13

# Polls are merged, and written with the call after them or at the exit. They belong to
# one record only if they follow each other within 0.1 s.
run '' polls
is polls "$code" 3
trace 1
calls
is 'polls: sum' "$(awk '/^pollcall/ && / ready=0 / { for (i = 1; i <= NF; i++)
	if (sub("^polls=", "", $i)) sum += $i } END { print sum }' dump)" 5
! grep '^pollcall' dump | grep -v ' ready=0 ' || fail 'polls: ready'

# At the exit, a GPU that hangs is awaited for 2 seconds, as the note says, whatever else
# takes time, and the trace states what it lacks. An old CUPTI has no counters, nor has a
# build without them.
run "XFERSPY_MODE=counters XFERSPY_CUPTI=$cupti" ''
is hanging "$code $out" "3 $answers"
trace 1
calls
for text in "cupti=130000 $cupti" "note=another tool has CUPTI's callbacks" mode=counters \
	'note=kernels are not counted: this lib' 'note=the GPU did not answer in the 2 s'; do
	info "$text"
done
exit $failed

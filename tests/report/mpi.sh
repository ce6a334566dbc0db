#!/bin/sh
# SPDX-License-Identifier: MIT
# The digest that three processes of xferspy-mpi make of a folder is that of xferspy
# merge; a trace that is there twice counts once, whichever processes read it, and a
# file that is no trace is named, and changes the exit code alone.
#
#   mpi.sh MPIEXEC XFERSPY XFERSPY_MPI XS_MKTRACE FOLDER
set -eu
mpiexec=$1 xferspy=$2 mpi=$3 mktrace=$4 work=$5
# in a container: as root, without ssh, on few cores
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_rmaps_base_oversubscribe=1

fail() {
	echo "mpi.sh: $*" >&2
	exit 1
}

machine=$(cd "$(dirname "$0")" && pwd)/machine.json
rm -rf "$work"
mkdir -p "$work/d"
cd "$work"
for rank in 0 1 2 3 4 5 6; do
	"$mktrace" -r 2$rank -i rank=$rank -i ranks=7 -i app=./heat $rank.xspy
	"$xferspy" digest $rank.xspy -o d/$rank.digest
done
"$xferspy" merge d/*.digest >wanted
"$mpiexec" -n 3 "$mpi" . >found || fail "exit code $?"
cmp wanted found || fail "another digest"
"$mpiexec" -n 3 "$mpi" . 0.xspy wanted d 0.xspy >found || fail "twice: exit code $?"
"$xferspy" report found >text
grep -q '^heat  7 traces on' text || fail "twice: $(cat text)"
grep -q '^! 16 traces given twice, counted once: ./0.xspy, ./1.xspy,' text ||
	fail "twice: $(cat text)"
"$mpiexec" -n 2 "$mpi" --help >text || fail "--help: exit code $?"
[ "$(grep -c '^Usage: mpirun xferspy-mpi' text)" = 1 ] || fail "--help: $(cat text)"
"$mpiexec" -n 2 "$mpi" --machine h200 0.xspy 1.xspy >found || fail "--machine: exit code $?"
"$xferspy" report found | grep -q 'machine: h200$' || fail "--machine: $("$xferspy" report found)"
for words in "" --none "--machine h200 d" "./0.xspy >/dev/full"; do
	status=0
	"$mpiexec" -n 1 sh -c "$mpi $words" >text 2>&1 || status=$?
	[ $status != 0 ] && grep -q '^xferspy: ' text || fail "$words: $status, $(cat text)"
done
status=0
PMI_SIZE=2 "$mpi" 0.xspy 1.xspy -o out.digest 2>text || status=$?
[ $status = 2 ] && grep -q 'MPI knows one process, the launcher more' text ||
	fail "another MPI's launcher: $status, $(cat text)"
"$mpiexec" -n 2 "$mpi" -o out.digest a.none 2>text && fail "nothing there: exit code 0"
grep -q 'a.none' text || fail "nothing there: $(cat text)"
[ ! -e out.digest ] || fail "nothing there: an output"
"$mpiexec" -n 2 "$mpi" 0.xspy 1.xspy -o out.digest || fail "-o: exit code $?"
"$xferspy" report out.digest | grep -q '^heat  2 traces on' || fail "-o: no digest"
for output in /dev/full none/out 0.xspy; do
	status=0
	"$mpiexec" -n 2 "$mpi" 0.xspy 1.xspy -o $output >text 2>&1 || status=$?
	[ $status != 0 ] && grep -q "^xferspy: $output: " text ||
		fail "-o $output: $status, $(cat text)"
done
# what is wrong is told once, and leaves no output behind
"$mpiexec" -n 2 "$mpi" --machine ./none.json 0.xspy 1.xspy 2>text && fail "none.json: rc 0"
[ "$(grep -o 'machine profile ./none.json' text | wc -l)" = 1 ] || fail "none.json: $(cat text)"
mkdir a b
cp "$machine" a/own.json
status=0
"$mpiexec" -n 1 sh -c "cd a && $mpi ../0.xspy --machine ./own.json -o ../own.digest" : \
	-n 1 sh -c "cd b && $mpi ../0.xspy --machine ./own.json -o ../own.digest" 2>text || status=$?
[ $status = 2 ] && grep -q 'machine profile ./own.json' text || fail "own.json: $status, $(cat text)"
[ -z "$(find . -name 'own.digest*')" ] || fail "own.json: $(find . -name 'own.digest*')"
cp 0.xspy 1.xspy a
cp 1.xspy b
for other in b none; do
	status=0
	timeout 60 "$mpiexec" -n 1 "$mpi" a : -n 1 "$mpi" $other >found 2>err || status=$?
	[ $status = 2 ] || fail "a and $other: exit code $status"
	grep -q 'a: other processes find other files there' err || fail "a and $other: $(cat err)"
done
echo 'no trace' >7.xspy
status=0
"$mpiexec" -n 3 "$mpi" . >found 2>err || status=$?
[ $status = 2 ] || fail "with a damaged file: exit code $status"
grep -q '7.xspy: not an xferspy trace' err || fail "the damaged file is not named"
"$xferspy" report found | grep -q '! 1 trace not read: ./7.xspy' ||
	fail "the damaged file is not counted"
status=0
"$xferspy" report found >text || status=$?
[ $status = 2 ] || fail "a digest of a damaged file: exit code $status"

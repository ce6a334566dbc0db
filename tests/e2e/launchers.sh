#!/bin/sh
# SPDX-License-Identifier: MIT
# Two ranks under Open MPI and under MPICH, as Debian installs them, if they are
# here: each has its own trace, of its rank and their number, both have one report,
# and XFERSPY_RANKS traces one alone. The variables of other launchers are set by
# hand.
. "$(dirname "$0")/lib.sh"
unset XFERSPY_OUTPUT
# in a container: as root, without ssh, on few cores
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_rmaps_base_oversubscribe=1

for mpirun in mpirun.openmpi mpirun.mpich; do
	command -v $mpirun >/dev/null || continue
	plain $mpirun -n 2 "$XS_COMMAND" run -o '%r.xspy' "$XS_APPS/app" serial 3
	expect "$mpirun: exit code" "$status" 0
	for rank in 0 1; do
		"$XS_COMMAND" dump $rank.xspy >dump.txt || fail "$mpirun: no $rank.xspy"
		grep -qx "info text=\"rank=$rank\"" dump.txt || fail "$mpirun: rank"
		grep -qx 'info text="ranks=2"' dump.txt || fail "$mpirun: ranks"
	done
	expect "$mpirun: traces" "$(traces)" 2
	"$XS_COMMAND" report . >report.txt || fail "$mpirun: report: $?"
	grep -q '^app  2 traces on 1 host, 2 of 2 ranks, machine: ' report.txt ||
		fail "$mpirun: no report on both: $(cat report.txt)"
	rm ./*.xspy
	# one name for all: whichever is first has it
	plain $mpirun -n 2 "$XS_COMMAND" run -o same.xspy "$XS_APPS/app" serial 3
	expect "$mpirun: exit code of one name" "$status" 0
	"$XS_COMMAND" report . >report.txt || fail "$mpirun: report of one name: $?"
	grep -q '^app  2 traces on 1 host, 2 of 2 ranks, machine: ' report.txt ||
		fail "$mpirun: one name: $(cat report.txt; ls)"
	# again: in figures are the later traces where the launcher names its jobs
	plain $mpirun -n 2 "$XS_COMMAND" run -o same.xspy "$XS_APPS/app" serial 3
	expect "$mpirun: exit code of one name again" "$status" 0
	"$XS_COMMAND" report . >report.txt || fail "$mpirun: report again: $?"
	case $mpirun in
	*openmpi) again="of another job, in no figure: same.xspy (rank [01] on [^ ]*), same.xspy.1 (rank [01] on" ;;
	*) again="of a rank that has another trace (several runs?): 0, 1" ;;
	esac
	tr -s '\n ' '  ' <report.txt | grep -q "2 traces $again" ||
		fail "$mpirun: again: $(cat report.txt; ls)"
	rm same.xspy same.xspy.[123]
	XFERSPY_RANKS=1 plain $mpirun -n 2 "$XS_COMMAND" run -o '%r.xspy' \
		"$XS_APPS/app" serial 3
	expect "$mpirun: exit code of one" "$status" 0
	expect "$mpirun: one" "$(echo ./*.xspy)" ./1.xspy
	rm ./*.xspy
done

# under RANK RANKS VARIABLE=VALUE...: in the environment of a launcher
under()
{
	rank=$1
	ranks=$2
	shift 2
	plain env -u PMI_RANK "$@" "$XS_COMMAND" run -o '%r.xspy' "$XS_APPS/app" serial 3
	expect "$*: exit code" "$status" 0
	expect "$*: trace" "$(echo ./*.xspy)" "./$rank.xspy"
	dump_trace
	for info in "rank=$rank" "ranks=$ranks"; do
		grep -qx "info text=\"$info\"" dump.txt || fail "$*: no $info"
	done
	rm ./*.xspy
}
slurm="SLURM_PROCID=3 SLURM_NTASKS=4"
# shellcheck disable=SC2086 # two words
{
	under 3 4 $slurm
	under 2 4 PMIX_RANK=2 SLURM_NTASKS=4
	under 5 8 RANK=5 WORLD_SIZE=8
	under 9 16 $slurm LOCAL_RANK=1 RANK=9 WORLD_SIZE=16
	under 1 2 PMIX_RANK=3 $slurm PMI_RANK=1 PMI_SIZE=2
	under 3 4 $slurm RANK=9 WORLD_SIZE=16
}

# Two processes at once on one GPU: each has its own trace, of its own work.
XFERSPY_OUTPUT=$work/shared.xspy
export XFERSPY_OUTPUT
"$XS_COMMAND" run "$XS_APPS/app" serial 60 >out.60 2>&1 &
"$XS_COMMAND" run "$XS_APPS/app" serial 70 >out.70 2>&1 || fail "70: $?"
wait $! || fail "60: $?"
for trace in shared.xspy shared.xspy.1; do
	"$XS_COMMAND" dump $trace >dump.txt || fail "no $trace"
	count '^kernel '
	grep '^info text="uuid.0=' dump.txt >>gpus.txt
done >kernels.txt
expect "kernels of each" "$(sort -n kernels.txt | tr '\n' ' ')" "60 70 "
expect "GPUs" "$(sort -u gpus.txt | wc -l)" 1
"$XS_COMMAND" report shared.xspy shared.xspy.1 >report.txt || fail "report: $?"
grep -q "2 traces of processes that shared a GPU" report.txt ||
	fail "nothing said of sharing: $(cat report.txt)"

#!/bin/sh
# SPDX-License-Identifier: MIT
# A Slurm cluster of this one node, where Slurm is installed (Debian: slurm-wlm) and
# the caller is root: srun gives each task its trace, under each of its interfaces to
# MPI; XFERSPY_RANKS traces some of them; a TaskProlog traces one job in N.
. "$(dirname "$0")/lib.sh"
if ! [ "$(id -u)" = 0 ] || ! command -v slurmctld slurmd srun >/dev/null; then
	exit 77
fi
unset XFERSPY_OUTPUT SLURM_JOB_ID
host=$(hostname -s)
mkdir state spool
export SLURM_CONF=$work/slurm.conf
cat >slurm.conf <<END
ClusterName=one
SlurmctldHost=$host
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$work/prolog
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldPidFile=$work/controller.pid
SlurmdPidFile=$work/node.pid
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmdParameters=config_overrides
SelectType=select/linear
NodeName=$host CPUs=4
PartitionName=all Nodes=ALL Default=YES
END
printf '#!/bin/sh\n' >prolog
chmod +x prolog
slurmctld -D >controller.log 2>&1 &
controller=$!
slurmd -D >node.log 2>&1 &
node=$!
trap 'kill $node $controller; wait; rm -rf "$work"' EXIT
for _ in $(seq 60); do
	[ "$(sinfo -h -o %t 2>&1)" != idle ] || break
	sleep 1
done
expect "the node's state" "$(sinfo -h -o %t)" idle

# tasks WHAT OPTION...: four tasks of a program
tasks()
{
	what=$1
	shift
	rm -f ./*.xspy
	plain srun -n 4 "$@" "$XS_APPS/app" serial 3
	expect "$what: exit code" "$status" 0
}

preload="--export=ALL,LD_PRELOAD=$XS_PRELOAD,XFERSPY_OUTPUT=$work/%h.%r.xspy"
for mpi in none pmi2 pmix; do
	srun --mpi=list 2>&1 | grep -qw $mpi || continue
	tasks $mpi --mpi=$mpi "$preload"
	for rank in 0 1 2 3; do
		"$XS_COMMAND" dump "$host.$rank.xspy" >dump.txt || fail "$mpi: no $rank"
		for info in "rank=$rank" ranks=4 "host=$host"; do
			grep -qx "info text=\"$info\"" dump.txt || fail "$mpi: $info"
		done
		grep '^info text="job=.*[0-9]' dump.txt >>job.txt || fail "$mpi: no job"
	done
	expect "$mpi: jobs" "$(sort -u job.txt | wc -l)" 1
	rm job.txt
	"$XS_COMMAND" report . >report.txt || fail "$mpi: report: $?"
	grep -q '^app  4 traces on 1 host, 4 of 4 ranks, machine: ' report.txt ||
		fail "$mpi: $(cat report.txt)"
done
export XFERSPY_RANKS=0,2-3
tasks some "$preload"
unset XFERSPY_RANKS
expect "some: traces" "$(echo ./*.xspy)" "./$host.0.xspy ./$host.2.xspy ./$host.3.xspy"

# one job in 2
cat >prolog <<END
#!/bin/sh
exec $(realpath "$here/../../examples/centre/sample.sh") $XS_PRELOAD $work 2
END
for _ in 1 2; do
	tasks prolog sh -c 'echo $SLURM_JOB_ID >>jobs; exec "$@"' sh
	job=$(sort -u jobs)
	rm jobs
	expect "job $job: traces" "$(traces)" $((job % 2 ? 0 : 4))
	[ $((job % 2)) = 1 ] || [ -e "$(echo "$job".3.*.xspy)" ] || fail "names: $(echo ./*)"
done

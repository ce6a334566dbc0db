#!/bin/sh
# SPDX-License-Identifier: MIT
# Two ranks under Open MPI and under MPICH, as Debian installs them: each has its
# own trace, of its rank and their number, both have one report, and XFERSPY_RANKS
# traces one alone.
# Skipped (77) without either.
. "$(dirname "$0")/lib.sh"
unset XFERSPY_OUTPUT
# in a container: as root, without ssh, on few cores
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=false OMPI_MCA_rmaps_base_oversubscribe=1
found=

for mpirun in mpirun.openmpi mpirun.mpich; do
	command -v $mpirun >/dev/null || continue
	found=yes
	plain $mpirun -n 2 "$XS_COMMAND" run -o '%r.xspy' "$XS_APPS/app" serial 3
	expect "$mpirun: exit code" "$status" 0
	for rank in 0 1; do
		"$XS_COMMAND" dump $rank.xspy >dump.txt || fail "$mpirun: no $rank.xspy"
		grep -qx "info text=\"rank=$rank\"" dump.txt || fail "$mpirun: rank"
		grep -qx 'info text="ranks=2"' dump.txt || fail "$mpirun: ranks"
	done
	expect "$mpirun: traces" "$(traces)" 2
	"$XS_COMMAND" report . >report.txt || fail "$mpirun: report: $?"
	grep -q '^app  2 traces on 1 host, 2 of 2 ranks$' report.txt ||
		fail "$mpirun: no report on both: $(cat report.txt)"
	rm ./*.xspy
	XFERSPY_RANKS=1 plain $mpirun -n 2 "$XS_COMMAND" run -o '%r.xspy' \
		"$XS_APPS/app" serial 3
	expect "$mpirun: exit code of one" "$status" 0
	expect "$mpirun: one" "$(echo ./*.xspy)" ./1.xspy
	rm ./*.xspy
done
[ "$found" ] || exit 77

#!/bin/sh
# SPDX-License-Identifier: MIT
# Traces one batch job in N, all of its processes, in light mode: prints the
# variables as Slurm wants them from a TaskProlog. Elsewhere: eval "$(sample.sh ...)".
#   sample.sh LIBXFERSPY.SO FOLDER N
set -eu
library=$1
folder=$2
one_in=$3

job=${SLURM_JOB_ID:-${PBS_JOBID:-${LSB_JOBID:-}}}
job=${job%%[!0-9]*} # "1234[5].server" of PBS
case ${LD_PRELOAD:-} in
*libxferspy.so*) exit ;; # the user's own
esac
[ -n "$job" ] && [ $((job % one_in)) -eq 0 ] || exit 0
cat <<END
export LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD}
export XFERSPY_MODE=light
export XFERSPY_MAX_SIZE=16M
export XFERSPY_OUTPUT=$folder/$job.%r.%h.%p.xspy
export XFERSPY_SUMMARY=0
END

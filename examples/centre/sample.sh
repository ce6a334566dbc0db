#!/bin/sh
# SPDX-License-Identifier: MIT
# Traces one batch job in N, all of its processes, in light mode: prints the
# variables as Slurm wants them from a TaskProlog. Elsewhere: eval "$(sample.sh ...)".
#   sample.sh LIBXFERSPY.SO FOLDER N
set -eu
library=$1
folder=$2
one_in=$3

# Slurm takes lines as they are, a shell does not.
case $library:$folder in
*[!A-Za-z0-9_/.,:=@%+-]* | [!/]* | *:[!/]*)
	echo "sample.sh: $library, $folder: give absolute paths without blanks or quotes" >&2
	exit 2
	;;
esac
case $one_in in
'' | *[!0-9]* | 0*)
	echo "sample.sh: $one_in: give a number of jobs, 1 or more" >&2
	exit 2
	;;
esac
job=${SLURM_JOB_ID:-${PBS_JOBID:-${LSB_JOBID:-}}}
job=${job%%[!0-9]*} # "1234[5].server" of PBS
# ld.so takes blanks and colons
preload=$library$(printf %s "${LD_PRELOAD:+:$LD_PRELOAD}" | tr ' ' :)
case ${LD_PRELOAD:-} in
*libxferspy.so* | *[!A-Za-z0-9_/.,:=@%+\ -]*) exit ;; # the user's own, or odd
esac
[ -n "$job" ] && [ $((job % one_in)) -eq 0 ] || exit 0
cat <<END
export LD_PRELOAD=$preload
export XFERSPY_MODE=light
export XFERSPY_MAX_SIZE=16M
export XFERSPY_OUTPUT=$folder/$job.%r.%h.%p.xspy
export XFERSPY_SUMMARY=0
END

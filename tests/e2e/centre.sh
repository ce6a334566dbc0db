#!/bin/sh
# SPDX-License-Identifier: MIT
# What examples/centre has for a computing centre: one batch job in N is traced in
# light mode, and programs in containers are traced without root. The container
# engines are a stand-in.
. "$(dirname "$0")/lib.sh"
unset XFERSPY_OUTPUT SLURM_JOB_ID PBS_JOBID LSB_JOBID
centre=$(realpath "$here/../../examples/centre")

# job VARIABLE=ID: a program in this job, of which one in 100 is traced
# shellcheck disable=SC2016 # for the inner shell
job()
{
	rm -f ./*.xspy
	plain env "$1" SLURM_PROCID=1 sh -c '
		eval "$("$0"/sample.sh "$1" "$2" 100)"
		shift 2
		exec "$@"' "$centre" "$XS_PRELOAD" "$work" "$XS_APPS/app" serial 50
	expect "$1: exit code" "$status" 0
	[ ! -s err ] || fail "$1: stderr"
}

for job in SLURM_JOB_ID=1200 'PBS_JOBID=1300[7].server' LSB_JOBID=100; do
	job "$job"
	number=${job#*=}
	expect "$job: traces" "$(echo ./"${number%%[!0-9]*}".1.*.xspy)" "$(echo ./*.xspy)"
	dump_trace
	grep -qx 'info text="mode=light"' dump.txt || fail "$job: not light"
	within "$job: bytes" "$(stat -c %s ./*.xspy)" 1000 $((16 << 20))
done
for job in SLURM_JOB_ID=1201 PBS_JOBID=1.server NO_JOB=100; do
	job "$job"
	expect "$job: traces" "$(traces)" 0
done
# Slurm reads lines, and the user's own tracing is left alone.
SLURM_JOB_ID=100 LD_PRELOAD="other.so b.so" "$centre/sample.sh" /lib.so /traces 100 >lines.txt 2>err
expect "lines of Slurm" "$(grep -c '^export [A-Z_]*=[^ ]*$' lines.txt)" 5
grep -qx 'export LD_PRELOAD=/lib.so:other.so:b.so' lines.txt || fail "LD_PRELOAD: $(cat lines.txt)"
expect "of the user" "$(SLURM_JOB_ID=100 LD_PRELOAD=/my/libxferspy.so \
	"$centre/sample.sh" /lib.so /traces 100 2>err)" ""
for words in "lib.so /traces 100" "/lib.so traces 100" "/lib.so /traces 0" "/lib.so /tra\$x 100"; do
	# shellcheck disable=SC2086 # words
	SLURM_JOB_ID=100 "$centre/sample.sh" $words >lines.txt 2>err && fail "$words: exit code 0"
	[ ! -s lines.txt ] && grep -q '^sample.sh: ' err || fail "$words: $(cat lines.txt err)"
done

# The stand-in runs the program with the variables, and for a library that is
# mounted the one outside.
mkdir bin
cat >bin/docker <<'END'
#!/bin/sh
echo "$(basename "$0") $*" >engine.txt
shift
while [ "${1#-}" != "$1" ]; do
	case $1 in
	-v | --bind)
		case $2 in
		*.so:ro)
			library=${2%%:*}
			inside=${2#*:}
			;;
		esac
		;;
	-e | --env) [ "$2:ro" = "LD_PRELOAD=$inside" ] || export "${2?}" ;;
	-w | --pwd) cd "$2" || exit ;;
	--device) ;;
	*) set -- "" "$@" ;;
	esac
	shift 2
done
shift
LD_PRELOAD="$library" exec "$@"
END
chmod +x bin/docker
for engine in docker podman apptainer; do
	[ $engine = docker ] || ln -s docker bin/$engine
	rm -f ./*.xspy
	PATH=$work/bin:$PATH plain "$centre/container.sh" $engine "$XS_PRELOAD" \
		image "$XS_APPS/app" serial 5
	expect "$engine: exit code" "$status" 0
	expect "$engine: traces" "$(traces)" 1
	grep -qE "^$engine .*(--device nvidia.com/gpu=all|--nv) .* image " engine.txt ||
		fail "$engine: $(cat engine.txt)"
done
plain "$centre/container.sh" lxc "$XS_PRELOAD" image true
expect "unknown engine: exit code" "$status" 2

#!/bin/bash
# SPDX-License-Identifier: MIT
# The command's exit codes, errors and files.
# cli.sh XFERSPY SOURCES
. "$(dirname "$0")/expect.sh" || exit 1

# Help comes from the table.
expect 0 'xferspy ' - 'xferspy --version'
expect 0 'xferspy ' - 'xferspy -V'
expect 0 'xferspy ' - 'xferspy version'
expect 1 '' 'Usage: xferspy COMMAND' 'xferspy'
for command in run report diff calibrate model dump export; do
	expect 0 $command - 'xferspy --help'
	expect 0 'Usage: xferspy' - "xferspy $command --help"
	expect 0 'Usage: xferspy' - "xferspy help $command"
done

# Wrong use exits with 1.
# "xferspy: what: why; what to do"
expect 1 '' 'xferspy: frobnicate: no such command; see' 'xferspy frobnicate'
expect 1 '' 'no such command' 'xferspy help frobnicate'
expect 1 '' 'xferspy: report: no trace was given; name the file' 'xferspy report'
expect 1 '' 'xferspy: --frob: unknown option; see' 'xferspy report --frob'
expect 1 '' '--format: the option needs a value;' 'xferspy report x --format'
expect 1 '' 'xferspy: -o: the option needs a value;' 'xferspy report x -o'
expect 1 '' 'xferspy: -z: unknown option; see xferspy report' 'xferspy report x -z'
expect 1 '' 'two: not a device number' 'xferspy calibrate --device two'
expect 1 '' '--read=yes: unknown option' 'xferspy dump --read=yes x'
for command in report diff model; do
	formats=$(xferspy $command --help | sed -n 's/.*FORMAT .* one of: \(.*\) (default: text).*/\1/p')
	expect 1 '' "xferspy: xml: unknown format; use one of: ${formats:-none}" \
		"xferspy $command x --format xml"
done
expect 0 '' - 'ls "$source"/report/render/render_*.c | sed "s/.*render_//;s/\.c//" >files
	xferspy report --help | sed -n "s/.*FORMAT .* one of: \(.*\) (default.*/\1/p" |
		tr -d " " | tr , "\n" | sort | cmp - files'
expect 1 '' 'not a number of streams' 'xferspy report x --streams none'
expect 1 '' 'k20m: two profiles have this name; change' \
	'xferspy report x --machine h200 --machine k20m --machine k20m'
expect 1 '' 'it takes one trace before and one after; put --after' 'xferspy diff x'
expect 1 '' 'one trace before and one after; put --after' 'xferspy diff x y z'
expect 1 '' '--after: it is between the runs before and' 'xferspy diff x --after'
expect 1 '' 'name one trace or more on both sides' 'xferspy diff --after x'
expect 1 '' 'it is between the runs before' 'xferspy diff x --after y --after z'
expect 1 '' 'use one of: text, json' 'xferspy diff x y --format csv'
expect 1 '' '--fail-above: much is not a number' 'xferspy diff x y --fail-above much'
expect 1 '' '--fail-above: -5 is negative; give' 'xferspy diff x y --fail-above=-5'
expect 1 '' '--kernel-ms: -3 is negative; give' 'xferspy model --kernel-ms -3'
expect 1 '' '--kernel-ms: -x is not a number; give' 'xferspy model --kernel-ms -x'
expect 1 '' 'exactly one file' 'xferspy dump'
expect 1 '' 'name it with -o TRACE' 'xferspy dump --read x'
expect 1 '' 'cannot be combined with --read' 'xferspy dump --resolve --read x -o y'
expect 1 '' 'no command was given' 'xferspy run'
expect 1 '' 'unknown option' 'xferspy run --frob true'

# A typing error is told where the names are.
expect 1 '' 'reprot: no such command; see xferspy --help' 'xferspy reprot'
expect 1 '' 'calibrat: no such command; see xferspy --help' 'xferspy help calibrat'
expect 1 '' '--formt: unknown option; see xferspy report --help' 'xferspy report x --formt json'
expect 1 '' 'it is missing' 'xferspy model --machine k20'
expect 2 '' '--machine list prints the names' 'xferspy report $before --machine nosuch'
expect 1 '' '--machine: too many machines; give one' \
	'xferspy diff $before $pinned --machine h200 --machine h100'

# A file is not a command.
# "xferspy TRACE"
expect 2 '' "to read a trace: xferspy report $before" 'xferspy $before'
expect 2 '' 'to read a trace: xferspy report gone.xspy' 'xferspy gone.xspy'
expect 2 '' 'to trace a program: xferspy run /bin/sh' 'xferspy /bin/sh'
expect 1 '' 'no such command' 'xferspy /'

# One missing trace does not stop the others.
# Traces that can be read are reported; the exit code tells of the others.
expect 2 "== $traces/pinned.txt ==" 'xferspy: gone.xspy: ' \
	'xferspy report --each $before gone.xspy $pinned'
expect 2 "== $traces/pageable.txt ==" \
	'1 of 2 traces: it could not be read; the report is about' \
	'xferspy report --each gone.xspy $before'
expect 2 '[
' 'gone' 'xferspy report --each $before gone.xspy --format json'
expect 2 'trace,phase,rounds,' 'gone' 'xferspy report --each gone.xspy $before --format csv'
expect 2 '' '2 of 2 traces: they could not be read; there is no report' \
	'xferspy report gone.xspy $source/LICENSE'

# Machine list names the profiles.
for command in report diff model digest; do
	expect 0 'h200          NVIDIA H200
' - "xferspy $command --machine list"
	expect 0 gtx-titan - "xferspy $command --machine list"
done

# Unreadable input exits with 2.
expect 2 '' 'xferspy: /nowhere/trace: ' 'xferspy report /nowhere/trace'
expect 2 '' 'LICENSE: ' 'xferspy report $source/LICENSE'
expect 2 '' 'nosuch' 'xferspy report $before --machine nosuch'
expect 2 '' '/nowhere/trace: ' 'xferspy dump /nowhere/trace'
expect 2 '' 'from a terminal or a device; give' 'xferspy report /dev/null'
expect 2 '' '/nowhere/out: No such file or directory; give -o' \
	'xferspy report $before -o /nowhere/out'
expect 2 '' '/nowhere/trace' 'xferspy diff $before /nowhere/trace'

# A full disk is an error.
expect 2 '' '/dev/full: No space left on device; check' \
	'xferspy report $before -o /dev/full'
expect 2 '' 'output: No space left on device; check' 'xferspy report $before >/dev/full'
expect 2 '' 'xferspy: output: No space left' 'xferspy --help >/dev/full'
expect 2 '' 'output: No space left' 'xferspy report --help >/dev/full'
expect 2 '' 'output: No space left' 'xferspy report --machine list >/dev/full'
expect 2 '' '/dev/full: No space left on device; check' 'xferspy dump $before -o /dev/full'

# An input is never the output.
# Opening the output truncates it, so it must not be an input.
expect 0 '' - 'xferspy dump $before -o own.txt'
expect 1 '' 'it is also an input' 'xferspy dump own.txt -o ./own.txt'
expect 1 '' 'also an input' 'xferspy dump --read own.txt -o own.txt'
expect 1 '' 'also an input' 'xferspy report $before own.txt -o own.txt'
expect 1 '' 'also an input' 'xferspy diff $before own.txt -o own.txt'
expect 1 '' 'also an input' 'xferspy report - -o own.txt <own.txt'
expect 0 'Where the time went' - 'xferspy report own.txt'
expect 1 '' 'also an input' \
	'cp $source/tests/report/machine.json own.json &&
		xferspy report $before --machine ./own.json -o own.json'
expect 1 '' 'also an input' 'xferspy diff $before $pinned --machine ./own.json -o own.json'

# A trace does not write to the terminal.
# Control characters of a trace do not reach the terminal.
expect 0 '?[31mheat (pid ' - \
	'xferspy dump $before | sed '\''s/heat"/\x1b[31mheat"/'\'' >escape.txt;
		xferspy report escape.txt'

# A report has its parts.
expect 0 'Where the time went' - 'xferspy report $before'
expect 0 'profile h200 (shipped): the trace' - 'xferspy report $before'
expect 0 'profile fitted from the trace' - 'xferspy report $before --machine fitted'
expect 0 'profile k20m' - 'xferspy report $before --machine k20m'
expect 0 'ATGPU  Carroll and Wong 2017' - 'xferspy report $before --atgpu'
expect 0 'unchanged on gtx-titan: the run takes' - \
	'xferspy report $before --machine fitted --machine gtx-titan'
expect 0 'unchanged on gtx-280: not predicted' - \
	'xferspy report $before --machine fitted --machine gtx-280'
expect 0 '"strategy": "machine:gtx-titan"' - \
	'xferspy report $pinned --machine h200 --machine gtx-titan --format json'
expect 0 "== $traces/pinned.txt ==" - 'xferspy report --each $before $pinned'
expect 0 '"schema": 1' - 'xferspy report $before --format json'
expect 0 'trace,phase,rounds,' - 'xferspy report $before --format csv'
expect 0 'streams,7,depth,replay,' - 'xferspy report $before --streams 7 --format csv'

# A gate exits with 3.
# Pipes have no colour.
xferspy report "$before" | grep -q $'\033' && fail 'a pipe gets colours'
expect 0 'The limit of 5 % (--fail-above) is kept' - \
	'xferspy diff $before $pinned --fail-above 5'
expect 3 'exceeded' 'xferspy: --fail-above: the run is' \
	'xferspy diff $before $slower --fail-above 5'
expect 0 'is kept' - 'xferspy diff $before $slower --fail-above 50'
expect 0 'slower' - 'xferspy diff $before $slower'

# Traces of a job have one report.
# One report on a job, from traces, digests, and both.
expect 0 'heat  2 traces on 1 host, machine: h200
' - 'xferspy report $before $pinned'
expect 2 '! 1 trace not read: gone.xspy
! 1 trace given twice, counted once:' '1 of 4 traces: it could not be read; the report is about' \
	'xferspy report $before gone.xspy $pinned $before'
expect 2 '"what": "unreadable"' 'gone' 'xferspy report gone.xspy $before --format json'
expect 0 'condition,at_most,assumes,ranks,ranks_seen,missing
heat,pinned,"heat.cu:88, heat.cu:91",1,' - \
	'xferspy report $before $pinned --format csv'
expect 1 '' 'this format is of single traces; add --each' \
	'xferspy report $before $pinned --format dot'
expect 1 '' '--streams: this option is of single traces; add --each' \
	'xferspy report $before $pinned --streams 4'
expect 2 '' 'gone.digest: No such file' \
	'xferspy digest $before -o a.digest && xferspy digest $pinned >b.digest &&
		xferspy merge a.digest b.digest gone.digest -o c.digest'
expect 2 '! 1 trace not read: gone.digest

What to change' - 'xferspy report c.digest'
expect 2 '' 'gone.digest: No such file' 'xferspy merge gone.digest -o c.digest'
expect 2 '! 1 trace not read: gone.digest' - 'xferspy report c.digest'
expect 0 '! 1 trace given twice, counted once: a.digest' - \
	'xferspy merge b.digest a.digest >d.digest; xferspy merge a.digest b.digest |
		cmp - d.digest && xferspy report d.digest a.digest'
expect 0 'heat  2 traces on 1 host, machine: h200
' - \
	'mkdir -p job && cp a.digest b.digest job && xferspy report job'
expect 2 '' 'none: no trace and no digest is there; name a folder' \
	'mkdir -p none; xferspy report none'

# What may block in a folder is left out.
# .N: of another process that would write the same file
expect 0 '! 1 trace given twice, counted once: special/a.xspy.12.gz' \
	'special/c.digest: it is no regular file; it is left out' \
	'mkdir -p special && cp a.digest b.digest special &&
		gzip -c $before >special/a.xspy.12.gz; mkfifo special/c.digest;
		timeout 20 xferspy report special'

# A folder has traces and digests.
# A digest beside its trace, and a merged one beside the traces that are in it, count
# once; what was merged twice cannot be undone.
expect 0 '! 3 traces given twice, counted once: both/a.digest, both/a.xspy, both/b.digest
' - \
	'mkdir -p both && cp $before both/a.txt && cp a.digest b.digest d.digest both &&
		mv both/a.txt both/a.xspy && xferspy report both'
expect 2 '' 'both: no digest is there;' \
	'xferspy merge both -o f.digest &&
		xferspy merge a.digest both/a.digest d.digest both/d.digest -o g.digest &&
		rm both/*.digest && xferspy merge both'
# of a cut trace, too; in any order
expect 0 '! 1 trace of a damaged file, in no figure: b.xspy' - \
	'xferspy dump --read $before -o whole && head -c 4500 whole >both/b.xspy;
		xferspy digest both/b.xspy -o b2.digest; xferspy report both b2.digest >one;
		xferspy report b2.digest both >two; cmp one two && cat one'
expect 0 '! 1 trace in several of the merged digests' - \
	'xferspy merge a.digest a.digest -o twice && xferspy report twice'
expect 2 '' 'bad: damaged, or no digest;' 'sed s/:1}/:9}/ a.digest >bad; xferspy merge bad'
expect 2 '' 'bad: it is of no trace; it is left out' \
	'printf '\''{"digest":4,"crc32":"a3a6bf43",'\'' >bad; printf '\''"group":{}}'\'' >>bad;
		xferspy merge bad'

# Two jobs are compared.
# Two jobs, of folders and of digests that were written before.
expect 0 'heat  2 -> 1 processes

Verdict: The slowest process takes 77.7 ms -> 27.3 ms, 64.8 % faster;' - \
	'xferspy diff job b.digest'
expect 0 '"job_diff": {' - 'xferspy diff a.digest job --format json'
expect 1 '' 'it is also an input' 'xferspy diff a.digest job -o a.digest'
expect 2 '' 'none: no trace and no digest' 'xferspy diff a.digest none'
expect 2 '' 'gone: No such file' 'xferspy diff a.digest gone'
expect 2 '' 'gone: No such file' 'xferspy diff a.digest --after b.digest gone'
expect 1 '' 'a job is compared with one other job' 'xferspy diff a.digest - <b.digest'
expect 2 '' 'damaged, or no digest;' \
	'(echo; cat a.digest) >line.digest; xferspy report line.digest'
expect 2 '' 'damaged, or no digest;' 'xferspy merge line.digest'
expect 2 '' 'damaged, or no digest;' \
	'mkdir -p junk && echo junk >junk/x.digest; xferspy diff junk a.digest'
expect 1 '' 'a digest has the machine with which it was made' \
	'xferspy diff a.digest job --machine h200'
expect 1 '' 'a digest has the machine with which it was made' \
	'xferspy report a.digest --machine h200'
expect 0 '' - 'xferspy merge - b.digest <a.digest >e.digest; cmp d.digest e.digest'
expect 0 '<!DOCTYPE html>' - 'xferspy diff a.digest b.digest --format html'
expect 1 '' 'a job is compared with one other job' 'xferspy diff job $before'
expect 1 '' 'a job is compared with one other job' \
	'xferspy diff job --after a.digest b.digest'
expect 0 'The limit of 5 %' - \
	"mkdir -p again && sed 's/pid=[0-9]*/pid=1/' \$before >again/a.txt &&
		sed 's/pid=[0-9]*/pid=2/' \$pinned >again/b.txt &&
		xferspy digest again/a.txt -o again/a.digest &&
		xferspy digest again/b.txt -o again/b.digest && rm again/*.txt &&
		xferspy diff job again --fail-above 5 | grep -o 'The limit of.*'"
expect 0 '' '' 'xferspy diff job again --fail-above 5'
expect 2 '' '2 processes are of before and of after; name each trace on one side' \
	'xferspy diff job job --fail-above 5'
expect 3 '' 'the slowest and the median process are slower than that' \
	'xferspy diff b.digest a.digest --fail-above 5'
expect 2 '' \
	'the jobs have figures of different numbers of processes; give jobs of whole traces, or, if ranks differ, add --allow-different' \
	'xferspy diff again/a.digest d.digest --fail-above 5'

# What is no trace and no rank is told.
# A digest is no trace, and only a whole number is a number.
for other in 'report --each a.digest' 'report --runs a.digest a.digest' \
	'dump a.digest' 'dump --resolve a.digest' \
	'export a.digest --to perfetto -o out' 'report $before --counters a.digest'; do
	expect 2 '' \
		'a.digest: it is a digest, not a trace; give it to xferspy report, without --each' \
		"xferspy $other"
done
expect 0 '    "rank": 1,
    "ranks": 2,
    "rank": null,
    "ranks": null,
' - \
	'for n in 2 2x;
		do sed "s/.*host=node7.*/&\ninfo text=\"ranks=$n\"\ninfo text=\"rank=1\"/" $before >ranks.txt;
		xferspy report ranks.txt --format json | grep -A1 '\''"rank"'\''; done'

# Several runs have a spread.
for ms in 80 81 83 84 85 88; do
	sed "/^header/s/end_realtime_ns=[0-9]*/end_realtime_ns=17673230450${ms}000000/" \
		"$before" >run$ms.txt
done
expect 0 'Runs  3 of one program; the report is of the median one
  run81.txt
' - \
	'xferspy report --runs run84.txt run80.txt run81.txt'
expect 2 'Runs  2 of one program' 'gone: ' \
	'xferspy report --runs run80.txt gone $pinned'
expect 2 '"count": 1' 'gone: ' 'xferspy report --runs run80.txt gone --format json'
# one has none
expect 2 '
  run               80.0 ms    80.0 ms   80.0 ms       -
' 'gone: ' \
	'xferspy report --runs run80.txt gone'
expect 2 '' 'gone: ' 'xferspy report --runs gone'
expect 1 '' '--runs: this format does not show it; use --format text' \
	'xferspy report --runs run80.txt run81.txt --format csv'
expect 1 '' '--by-range: this format does not show it; use --format text' \
	'xferspy report --by-range --format csv run80.txt'
expect 1 '' '--dataflow: this format does not show it; use --format text' \
	'xferspy report --dataflow --format csv run80.txt'
expect 1 '' '--dataflow: this format does not show it; use --format text' \
	'xferspy report --dataflow --format html run80.txt'
expect 4 '4.9 % slower
The medians lie in' '--fail-above: the runs spread too much to tell; record more' \
	'xferspy diff run80.txt run81.txt run84.txt --after run83.txt run85.txt run88.txt --fail-above 1'
expect 3 'beyond the spread of the runs.
The limit of 1 %' 'slower (afterwards +4.00 ms); three runs of each tell noise apart' \
	'xferspy diff run80.txt run81.txt --after run84.txt run85.txt --fail-above 1'
expect 4 '"answer": "too noisy",
    "passed": null' 'too much to tell' \
	'xferspy diff run80.txt run88.txt --after run81.txt run85.txt --fail-above 4 --format json'
expect 3 'exceeded' '3.7 % slower' 'xferspy diff --fail-above 1 run81.txt run84.txt'

# A gate compares like with like.
# edited NAME EDIT: writes pinned.txt as another program, GPU or driver
edited() {
	sed "$2" "$pinned" >"$1"
}
edited app.txt 's|app/heat|app/solve --n 5|'
expect 0 '! these are different programs: heat before, solve after' - \
	'xferspy diff $before app.txt'
expect 3 'is meant for one program and input on one GPU' \
	'--fail-above: these are different programs: heat before, solve after; compare two' \
	'xferspy diff $before app.txt --fail-above 5'
expect 3 '"passed": false' 'different programs' \
	'xferspy diff $before app.txt --fail-above 5 --format json'
expect 0 'is kept' - 'xferspy diff $before app.txt --fail-above 5 --allow-different'
edited gpu.txt 's|NVIDIA H200|NVIDIA L4|'
expect 3 'different GPUs: NVIDIA H200 before, NVIDIA L4 after' 'different GPUs' \
	'xferspy diff $before gpu.txt --fail-above 5'
edited driver.txt 's|driver=580|driver=570|'
expect 0 '! the driver'\''s versions differ: 580.82.07 before, 570.82.07' - \
	'xferspy diff $before driver.txt --fail-above 5'
# in another folder, with other arguments
edited folder.txt 's|/home/user/app/heat|../heat --pinned|'
expect 0 '"different": false' - \
	'xferspy diff $before folder.txt --fail-above 5 --format json'

# A gate needs run times.
# a header alone, of a process that was killed
edited empty.txt '1p; /^header/!d; s/ flush.*//; s/ state=1/ state=0/'
expect 2 'The run times are unknown.' \
	'the run times are unknown; one trace has no timed run; see its report' \
	'xferspy diff $before empty.txt --fail-above 5'
expect 2 '"passed": null' 'the run times are unknown' \
	'xferspy diff empty.txt $before --fail-above 5 --format json'
edited killed.txt '/^header/s/ state=1/ state=0/'
expect 2 '! after: killed.txt: the process was killed or is still running' \
	'after: killed.txt: the process was killed or is still running; give traces of whole runs by one tool' \
	'xferspy diff $before killed.txt --fail-above 5'
expect 0 '! killed.txt: the process was killed' - 'xferspy report --runs $before killed.txt'

# Nor with one whose kernels were counted, nor of other work.
expect 2 '! before: run.xspy: kernels were counted, which slows the run down' 'give traces of whole runs' \
	'cp $source/examples/traces/stencil-128-counters.xspy run.xspy && xferspy diff run.xspy run.xspy --fail-above 5'
# Bytes alone become fewer by what the report advises.
edited resident.txt '/ bytes=/s/ bytes=[0-9]*/ bytes=4096/; s|app/heat|app/heat --resident|'
expect 0 'is kept' - 'xferspy diff $before resident.txt --fail-above 5'
sed '/^kernel/s/duration=[0-9]*/duration=999/' resident.txt >less.txt
expect 3 '! they copy other amounts in: ' \
	'they copy other amounts in: ' 'xferspy diff $before less.txt --fail-above 5'
expect 0 'is kept' - 'xferspy diff $before less.txt --fail-above 5 --allow-different'

# A cut file is told as the cause, predicts nothing, and gives a code.
expect 2 'not known: the file was cut: ' 'half: the file is cut or damaged; copy' \
	'zcat <$source/examples/traces/stencil-512-pageable.xspy | head -c 8192 >half
		xferspy report half'
expect 2 '! before: half: the file was cut: ' 'half: the file is cut or damaged; copy' \
	'xferspy diff half $pinned'
expect 1 '' '' 'xferspy diff half $pinned | grep predicted'
expect 1 '' '' 'xferspy report half | grep -e Strategies -e profiler'
expect 2 '' 'half: the file is cut or damaged; copy' \
	'xferspy export --to perfetto half -o half.perfetto'
# Nor is anything known of times by a clock that was set.
edited clock.txt '$a clock realtime_ns=5000000000 monotonic_ns=1000000000 cupti_ns=0\nclock realtime_ns=8600000000 monotonic_ns=1600000000 cupti_ns=0'
expect 0 "not known: the system's clock was set by 3.00 s" - \
	'xferspy report clock.txt'
# Damage within it: nobody knows what it changed.
expect 2 'not known: the file is damaged, so that' 'zeroed: the file is cut or damaged; copy' \
	'cp $source/examples/traces/stencil-512-pageable.xspy zeroed
		dd if=/dev/zero of=zeroed bs=1 seek=700 count=50 conv=notrunc status=none
		xferspy report zeroed'
expect 1 '' '' 'xferspy report zeroed | grep -e "^  1[.?]" -e Strategies -e "1[1-9][0-9]\.[0-9] %"'
expect 1 '' '' 'xferspy diff zeroed $pinned | grep predicted'
expect 2 '' 'of an incomplete trace are not compared; its line marked ! says' \
	'xferspy diff zeroed $pinned --fail-above 5'
# What follows a whole file changes nothing.
expect 2 'In short: ' 'longer: the file is cut or damaged; copy' \
	'cp $source/examples/traces/stencil-512-pageable.xspy longer
		echo >>longer; xferspy report longer'
# So, too, if its end is missing as well.
expect 2 'not known: the file is damaged, so that' 'zeroed: the file is cut or damaged; copy' \
	'gzip -dc <$source/examples/traces/stencil-512-pageable.xspy | head -c 12900 >zeroed
		dd if=/dev/zero of=zeroed bs=1 seek=9000 count=50 conv=notrunc status=none
		xferspy report zeroed'
# Zeros at the end of its last chunk are not missed.
expect 2 'pin the host buffers of' 'padding: the file is cut or damaged; copy' \
	'zcat <$source/examples/traces/stencil-512-pageable.xspy | head -c 13455 >padding
		xferspy report padding'
# Nor are records in a damaged place that were lost when it was written.
edited gap.txt '/^copy .*correlation=3 /d; /^header/s/ state/ lost_ops=40 state/; /^kernel .*=8 /s/shape=1/shape=5898241/'
expect 0 'they are among the lost records' 'gap.txt: the file is cut or damaged' \
	'xferspy report gap.txt | tr -s "\n " " "'

# What is missing names its cause, and what to do.
expect 2 'No verdict: no trace could be used;' '1 of 2 traces: it could not be read' \
	'mkdir lost && >lost/a.xspy && cp half lost/b.xspy && xferspy report lost'
expect 0 'xferspy 0.1.0 did not record it; record again' - \
	'xferspy report --dataflow $source/examples/traces/stencil-512-pageable.xspy |
		tr -s "\n " " "'

# Python programs are their scripts.
edited train.txt 's|/home/user/app/heat|python3 -u a/train.py --n 5|'
expect 0 'different programs: heat before, train.py after' - \
	'xferspy diff $before train.txt'
expect 0 'as fast as before' - 'xferspy diff train.txt train.txt'
expect 0 '! train.txt is a run of before and of after: name others' - \
	'xferspy diff train.txt train.txt'
expect 2 'as fast as before' '--fail-above: a run is compared with itself; name each' \
	'xferspy diff train.txt train.txt --fail-above 5'
expect 2 '"answer": null' 'compared with itself' \
	'xferspy diff run80.txt run81.txt --after run81.txt run84.txt --fail-above 5 --format json'
expect 1 '' - 'xferspy diff $before $pinned | grep "a run of before"'
expect 0 'different programs: train.py before, test.py after' - \
	"xferspy dump train.txt | sed 's|python3 -u a/train|python b/test|' >test.txt;
		xferspy diff train.txt test.txt"
expect 0 'different programs: train.py before, test.py after' - \
	"xferspy dump train.txt |
		sed 's|python3 -u a/train|python -X dev -W ignore b/test|' >test.txt;
		xferspy diff train.txt test.txt"

# A diff scores the prediction.
expect 0 'predicted for pinned: ' - 'xferspy diff $before $pinned'
expect 0 'source memory pageable -> pinned' - 'xferspy diff $before $pinned'

# A dump reads back.
# Text to trace to text: the second text equals the first.
expect 0 '' - 'xferspy dump --read $before -o cli-1.xspy'
expect 0 '' - 'xferspy dump cli-1.xspy -o cli-1.txt'
expect 0 '' - 'xferspy dump --read - -o cli-2.xspy <cli-1.txt && cmp cli-1.xspy cli-2.xspy'
expect 2 'of records are missing' 'whole: the file is cut or damaged;' \
	'head -c 4500 cli-1.xspy >whole; xferspy dump whole'
expect 0 'Where the time went' - 'xferspy report cli-2.xspy'
expect 2 '' "xferspy: $source/LICENSE: line 1: " \
	'xferspy dump --read $source/LICENSE -o cli-3.xspy'

# A file is replaced when it is complete.
# What was there stays until the output is complete; a link stays one.
expect 2 '' 'stays: a file of another kind is there; give -o ' \
	'xferspy dump $before -o stays && xferspy report $before -o stays'
expect 0 'stays.' - "grep -l 'Where the time' stays.*.part; rm stays*"
expect 0 '' - \
	'xferspy report $before --format json -o stays &&
		xferspy report --each $before $pinned --format json -o stays &&
		xferspy diff $before $pinned --format json -o stays'
expect 2 '' 'a file of another kind is there' \
	'cp $source/examples/machines/h200.json stays &&
		xferspy report $before --format json -o stays'
rm stays*
expect 0 '' - \
	'rm -f whole link && xferspy dump $before -o whole && ln -sf whole link &&
		chmod 640 whole && cp whole same'
expect 2 '' 'LICENSE: line 1: ' 'xferspy dump --read $source/LICENSE -o link'
expect 2 '' 'LICENSE: ' 'xferspy report $source/LICENSE -o link'
expect 2 '' 'LICENSE: ' 'xferspy dump $source/LICENSE -o link'
expect 0 '' - 'cmp whole same && ! ls | grep part'
expect 0 '-rw-r-----' - \
	'xferspy dump $before -o link && test -L link && grep -q xferspy-text whole && ls -l whole'

# Messages do not go into the output.
# With standard descriptors closed, the output is not one of them.
expect 2 '' 'xferspy: output: Bad file descriptor; ' 'xferspy --help >&-'
expect 2 '' 'xferspy: -: a trace cannot be read from' 'xferspy report - <&-'
expect 2 '' 'output: Bad file descriptor' 'xferspy report $before >&-'
expect 0 '' - 'xferspy report $before -o /dev/null >&-'
expect 0 '' - 'xferspy report --each /nowhere/x $before -o own 2>&-; ! grep nowhere own'
expect 2 '' 'cannot be read' 'xferspy report - -o mine <&-; code=$?; ! test -s mine && exit $code'

# Another name keeps what was there.
expect 0 '' - \
	': >first && ln first second && xferspy dump $before -o first &&
		grep -q xferspy-text first && ! test -s second'
# a folder that cannot be written, by another user than root, who may not see where the
# tests run
as=
[ "$(id -u)" != 0 ] || as='setpriv --reuid 1 --clear-groups'
if $as true; then
	expect 0 Records - \
		'mkdir folder && cp "$xferspy" folder/copy && cp $before folder/before &&
			cd folder && echo old >own && chmod 666 own && chmod 555 . &&
			($as ./copy dump before -o own; cat own | sed s/^xferspy-text.*/Records/;
				chmod 755 .)'
else
	echo 'no folder that root cannot write: there is no setpriv'
fi

# A log beside a link's target is seen.
# SQLite would apply the log to the new file.
expect 0 '' - \
	'mkdir logged && echo old >logged/db && echo >logged/db-wal && ln -sf logged/db link'
expect 2 '' 'link: a log of an earlier database is beside it' \
	'xferspy export --to sqlite $before -o link'
expect 0 'old' - 'cat logged/db'

# What is more than a file is written itself.
# Their owners, names and positions stay.
rm -f dangling target
expect 0 '' - \
	'ln -s target dangling && xferspy dump $before -o dangling && test -L dangling &&
		grep -q xferspy-text target'
expect 0 'last' - \
	'(xferspy dump $before -o /dev/stdout; echo last) >target && grep -q xferspy-text target &&
		tail -n 1 target'
expect 2 '/dev/stdout
' 'target' \
	'(rm target; xferspy dump $before -o /dev/stdout) >target && ls target /dev/stdout*'
expect 0 '' - 'xferspy dump $before -o /dev/fd/3 3>target && grep -q xferspy-text target'
# what /proc says of an open file is no name, or another's
expect 0 'old
gone (deleted)
' - \
	'(rm -f gone odd; exec 3>gone; ln gone other; rm gone; echo old >'\''gone (deleted)'\'';
		ln -s /proc/self/fd/3 odd; xferspy dump $before -o odd; grep -q xferspy-text other &&
		test -L odd && cat '\''gone (deleted)'\''; rm other odd; ls gone*; rm gone*)'
expect 0 '' - \
	'ln -s /proc/self/fd/1 odd && xferspy dump $before -o odd >target &&
		xferspy dump $before -o odd | cmp - target && test -L odd'
expect 0 '' - \
	'(rm target; xferspy dump $before -o odd) >target && test -L odd && rm odd && >target'
# which root alone can give
expect 0 '' - \
	'test $(id -u) != 0 || { chown 1:1 target && xferspy dump $before -o target &&
		test $(stat -c %u target) = 1; }'

# Resolving writes another file.
# --resolve never changes its input, and leaves nothing half written.
expect 0 '' - \
	'xferspy dump --read $before -o own.xspy && chmod 444 own.xspy && cp own.xspy same.xspy'
expect 0 'own.resolved.xspy
' - 'xferspy dump --resolve own.xspy'
expect 0 'lines
' - 'xferspy dump --resolve own.xspy -o lines && cmp own.xspy same.xspy'
expect 0 '== own.resolved.xspy ==' - 'xferspy report --each lines own.resolved.xspy'
expect 1 '' 'it is also an input' 'xferspy dump --resolve own.xspy -o own.xspy'
expect 0 '-rw-------' - \
	'(umask 22; rm -f own; cp own.xspy private; chmod 600 private
		xferspy dump --resolve private -o own && ls -l own)'
expect 0 '-rw-------' - \
	'(umask 77; rm -f own; xferspy dump --resolve own.xspy -o own && ls -l own)'
expect 0 'prw-rw-rw-' - \
	'mkfifo -m 666 pipe && (cat pipe >lines & xferspy dump --resolve own.xspy -o pipe;
		ls -l pipe; rm pipe)'
expect 2 '' 'words: a file of another kind is there; give -o ' \
	'echo text >words; xferspy dump --resolve own.xspy -o words'
expect 2 '' 'xferspy: /nowhere/x: No such file or directory; give -o' \
	'xferspy dump --resolve own.xspy -o /nowhere/x'
expect 2 '' 'LICENSE: ' 'xferspy dump --resolve $source/LICENSE -o bad.xspy'
expect 2 '' 'No such file' 'ls bad.xspy* own.xspy.* lines.*'

# The exit code of a program is passed on.
xferspy run -- sh -c 'exit 7' 2>../err
code=$?
# without the library, which needs CUDA's headers, it reports an error
[ $code = 7 ] || { [ $code = 2 ] && grep -q libxferspy.so ../err; } ||
	fail "run exits with $code: $(cat ../err)"
xferspy run /nowhere/program 2>../err
case $? in
2 | 127) grep -q 'xferspy: ' ../err || fail "run says $(cat ../err)" ;;
*) fail 'run of a program that is not there' ;;
esac
exit $failed

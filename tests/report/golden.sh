#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports on typical traces, and sections of reports on traces written by hand. With
# GOLDEN=renew it writes the golden files anew: look at their difference.
# golden.sh XFERSPY SOURCES MODULE: a library that hides what is installed
# shellcheck disable=SC2034 # the lines use what seems unused
. "$(dirname "$0")/expect.sh" || exit 1
module=$3 reports=$source/tests/report examples=$source/examples
h100=$examples/frameworks/h100 corpus=$examples/corpus
stencil=$examples/traces/stencil-512-pageable.xspy
initiated=$examples/initiated/h200-2

xferspy() {
	LD_PRELOAD="$module ${LD_PRELOAD:-}" command xferspy "$@"
}

# golden FILE LINES: lines of shell print the file.
golden() {
	(eval "$2") >../out || fail "$2: exits with $?"
	[ "${GOLDEN:-}" != renew ] || cp ../out "$reports/golden/$1"
	diff -u "$reports/golden/$1" ../out || fail "$2: prints another text than $1"
}

# prints LINES TEXT...: they print the texts, and no command of them fails.
prints() {
	local lines=$1 out text
	out=$(set -eo pipefail && eval "$lines" && echo .) || fail "$lines: fails"
	shift
	for text in "$@"; do
		[ -z "${out##*"$text"*}" ] || fail "$lines: does not print '$text'"
	done
}

for lines in : 'echo text; false' 'echo text | false | cat'; do
	[ -n "$(prints "$lines" text)" ] || fail "$lines: prints says nothing"
done

# section FROM TO: the lines from one that begins with a text to one of another.
section() {
	sed -n "/^$1/,/^$2/p"
}

last_section() {
	sed -n "/^$1/,\$p"
}

golden job.txt 'xferspy report --machine h200 $traces/pageable.txt $stencil'
# A round with a second kernel that uses the first one's output.
golden two-kernels.txt \
	'xferspy report --machine h200 --all $traces/two-kernels.txt | last_section Phases'
# Callers of a helper and their calls, without lines of packages.
golden callers.txt \
	'xferspy report --machine h200 $traces/callers.txt | section "What to change" Coverage'

# numba's own words; copies of XLA's threads, which have no line, are named by the
# function of JAX that asks for them, and the next launch.
golden numba.txt 'xferspy report --machine $h100/machine.json $h100/numba_steps.xspy |
	section "What to change" Coverage'
# Layers: the next one's weights on a side stream.
golden prefetch.txt 'xferspy report --machine $h100/machine.json $h100/offload.xspy |
	section "What to change" Coverage'
# A graph is asked about if little is lost without its condition, and that told.
golden item.txt 'xferspy report --machine $h100/machine.json $h100/item.xspy |
	section Verdict Coverage'
golden jax.txt 'xferspy report --machine $h100/machine.json $h100/jax_put.xspy |
	sed -n "/^What to change/,/^Coverage/p;/^Phases/,/^Strategies/p"'

# Three kernels on managed memory, whose pages the first one waits for.
prints "xferspy report --machine h200 \$traces/managed.txt | section 'In short' What |
	tr '\n' ' '" 'In short: prefetch managed memory: 128 MiB migrated in' \
	'Changes of data movement save at most 3.98 ms: 46.3 % of the steady part'
# The same migrations during start-up are none of the steady part.
prints "awk '/^copy /{split(\$3, t, \"=\"); \$3 = \"start=\" t[2] - 85000000} 1' \
	\$traces/managed.txt >early.txt && xferspy report --machine h200 early.txt |
	section Verdict Steady" 'save at most 48.0 us: 0.6 % of the steady part'

# A GPU that runs dry for longer than the host waits for it is not the limit, however
# long its kernels are.
prints "xferspy report --machine h200 \$traces/host-runs-dry.txt | section Verdict In |
	tr '\n' ' '" "The GPU is 17.0 % idle; the host's code before cudaMemcpyAsync is the limit."
# Rounds whose copies differ a little follow each other in time, not by their bytes.
prints "xferspy report --machine h200 \$traces/rounds-shrink.txt | section Phases Strategies" \
	"  1       5     103 ms" "with the host's 100 ms"
# Threads of other libraries than PyTorch's have no frame of Python, either.
prints 'xferspy report --machine h200 $traces/dali.txt | section "What to change" Coverage' \
	'Pin the host buffers of cudaMemcpy in libdali.so+0x1042 once'

# CUDA started in the first call, cudaMallocHost: that is no pinning, neither here nor
# in a difference.
expect 0 'Outside the steady part, pinning memory takes 81.2 ms, once (19.1 % of the run):' - \
	'xferspy report $examples/traces/reduction-67108864-pinned.xspy | grep "pinning memory"'
# A step of the set-up does not take the place of what is not known.
expect 0 'In short: not known: the predictions are for another GPU, and not compared with' - \
	'xferspy report --machine h200 $reports/dataflow/layers-pinned.xspy | grep "^In short"'
# The modules that a trace names may be there.
expect 1 '' - 'xferspy dump $stencil |
	sed -E "/^source/d;s/ (used_bytes|at)=[0-9]+//g;s|/opt/.*/stencil|/bin/sh|" >no-lines.txt
	xferspy report no-lines.txt >no-lines || exit 2
	grep "changed since the run" no-lines'
# Nor does the report need lines of a module that it names no place of.
expect 1 '' - 'xferspy dump $stencil |
	sed -E "s/ (used_bytes|at)=[0-9]+//g;0,/^site/s||string id=9001 text=\"$module\"\n\
string id=9002 text=\"00\"\nmodule module=9 path=9001 build_id=9002\n\
site call_class=0 site=9001 module=9 offset=16\nsite|" >other.txt
	xferspy report other.txt >other || exit 2
	grep "has changed" other'
# A pragma of OpenMP has words of its own, and no call that allocates; its
# runtime, loaded beside calls of CUDA, changes none of them.
prints 'sed "0,/^site/s||string id=9001 text=\"/usr/lib/libomptarget.so.16\"\n\
module module=9 path=9001\nsite|" $reports/advice/alloc-round.txt >loaded.txt
	xferspy report --machine h200 loaded.txt' 'cudaMalloc(&buffer'
prints 'sed "/^site/s/module=[0-9]*/module=9/" loaded.txt >omp.txt
	xferspy report --machine h200 omp.txt' '#pragma omp target enter data map(to: in'
expect 1 '' - 'xferspy report --machine h200 omp.txt | grep "cudaMalloc(&buffer"'
# What frees pinned memory has a row.
prints 'xferspy diff $stencil $examples/traces/stencil-512-pinned.xspy --machine h200' \
	'  unpinning        0 ns  66.8 ms  +66.8 ms'
# The time of copies and their number have names of their own.
expect 1 '' - 'xferspy diff $traces/pageable.txt $traces/two-kernels.txt |
	grep -E "^  (copies|kernels)" | cut -c1-18 | sort | uniq -d | grep .'
# The profile of the trace's GPU is found wherever it stands.
expect 0 '' - 'pageable="--format csv $examples/traces/stencil-256-pageable.xspy"
	xferspy report --machine h200 --machine h100 $pageable | grep machine:h100 >first
	xferspy report --machine v100 --machine h200 --machine h100 $pageable |
		grep machine:h100 | cmp - first'

# Who needs what tells how many copies can run ahead, and diff what was done.
golden diff-prefetch.txt 'xferspy diff --machine h100 $reports/dataflow/layers-pinned.xspy \
	$reports/dataflow/layers-prefetch.xspy | grep -A1 "predicted for"'
golden diff-graph.txt 'xferspy diff --machine h200 $traces/cached-eager.xspy \
	$traces/cached-graph.xspy | grep -A1 "predicted for"'
golden engines-prefetch.txt \
	'xferspy report --machine h100 --format csv $reports/dataflow/engines-pinned.xspy |
	grep ",prefetch," | cut -d, -f4,7,22,30'

# The input brings more per byte than the result: a budget for one of them has it. What
# is too small for any buffer pins none.
golden pinned-budget.txt 'xferspy report --machine h200 --pinned-budget 600MiB $stencil |
	last_section "Pinned memory"'
golden pinned-budget-small.txt \
	'xferspy report --machine h200 --pinned-budget 1MiB --format json $stencil |
	grep -E "used_bytes|\"taken\"" | sort -u'
golden pinned-budget-none.txt \
	'xferspy report --machine h200 --pinned-budget 1GiB $traces/pinned.txt |
	last_section "Pinned memory"'
# What the plan does not know, the budget does not promise.
prints 'xferspy report --machine h200 --pinned-budget 1GiB \
	$corpus/contact-6/sixth/poly-GESUMMV.xspy | last_section "Pinned memory"' \
	'not known: the predictions are for another GPU'
# The plan pins the same for 1.22 s, the buffers of one round, which are to serve all;
# arrays that one line copies in turn are as many buffers.
golden pinned-budget-in-turn.txt \
	'report() { xferspy report --pinned-budget "$@" | last_section "Pinned memory"; }
	report 8G --machine $examples/frameworks/h200-2/machine.json \
		$examples/frameworks/h200-2/to_device-1.xspy
	for budget in 8G 40M; do report $budget $corpus/contact-15/fifteenth/tor-fft.xspy; done'
# It takes the calls longer to copy little, not the copies.
prints 'xferspy report --pinned-budget 8G $corpus/contact-3/third/packt-n-body.xspy |
	last_section "Pinned memory"' 'in all 960 KiB pinned, which save 13.8 ms'
# 64 MiB that are copied in and out again are pinned once.
golden pinned-budget-both-ways.txt \
	'sed "s/dst=536870912/dst=268435456/" $traces/pageable.txt |
	xferspy report --machine h200 --pinned-budget 1GiB - | last_section "Pinned memory"'

# A second thread that takes turns with the first one has its calls in the ranges of
# that one; a range in one of its own name is part of it.
golden by-range.txt 'xferspy report --machine h200 --by-range $traces/nvtx.txt |
	section "NVTX ranges" Phases'
golden by-range-json.txt \
	'xferspy report --machine h200 --by-range --format json $traces/nvtx.txt |
	last_section "  \"nvtx\""'
golden by-range-none.txt 'xferspy report --machine h200 --by-range $traces/pageable.txt |
	section "NVTX ranges" Phases'

# Waits between kernels are advised against.
golden kernel-waits.txt 'xferspy report --machine $corpus/contact-2/machine.json \
	$corpus/contact-2/second/poly-LU.xspy | section "What to change" Coverage'

# A time whose range is wider than itself is told as that range in the plan, the table
# and the times by number of streams; so is what copies of a round take outside of it,
# and that a step may be slower.
golden between-rounds.txt 'xferspy report --machine $corpus/contact-2/machine.json \
	$corpus/contact-2/second/hec-epistasis.xspy |
	sed -n "/^What to change/,/^Coverage/p;/^Strategies/,\$p"'
golden may-be-slower.txt \
	'xferspy report --machine h100 $corpus/contact/first/rod-hotspot3D.xspy |
	grep -A2 "^  [12][.?]"'
golden unknown-by-n.txt 'xferspy report --machine h200 --all \
	$examples/traces/chain-16777216-pageable.xspy | grep "by n"'

# Whole reports, as a reader of the default text sees them.
while read -r name trace; do
	golden "typical/$name.txt" 'xferspy report --machine h200 $source/$trace'
done <<-'EOF'
	stencil-pageable examples/traces/stencil-256-pageable.xspy
	stencil-pinned examples/traces/stencil-256-pinned.xspy
	chain-pageable examples/traces/chain-all-134217728-pageable.xspy
	alloc-round tests/report/advice/alloc-round.txt
	small-copies tests/report/advice/small-copies.txt
	small-pieces tests/report/advice/small-pieces.txt
	threads tests/report/advice/threads.txt
	train-item tests/report/advice/train-item.txt
	decode tests/report/advice/decode.txt
	offload-pinned tests/report/advice/offload-pinned.txt
	killed-startup tests/report/advice/killed-startup.txt
	one-round tests/report/advice/one-round.txt
EOF

# The sentence is of the step that saves most at least, in the words of the step, and
# does not call sure what may be slower.
opening() {
	local trace=$1
	shift
	prints "xferspy report \$examples/$trace.xspy | section 'In short' Verdict | tr '\n' ' '" "$@"
}
opening corpus/h100/develop/rod-nn 'In short: allocate once instead'
opening corpus/contact-5/fifth/hec-wedford 'for longer ones, first answer: could data stay'\
' on the GPU (about'
opening corpus/contact-11/eleventh/heal-routes \
	'In short: first answer: could data stay' 'If not, little to gain; pin' ' of 216 ms.'
opening corpus/contact/first/shoc-triad 'not, little to gain; use 8 pieces instead of 64'
opening frameworks/h200/kv_paging-1 \
	'in the traced part; for longer runs, merge the small copies of kv_paging.py:25'
opening corpus/contact-12/twelfth/byr-cast 'In short: little to gain in this run; for longer'
opening corpus/contact-6/sixth/hec-cobahh '(step 2): alone saves 3.32 ms ('
opening corpus/contact-6/sixth/hec-jenkins-hash \
	"saves 1.26 ms of each round's" 'here 8.70 ms (' ') of 281 ms.'
# Step 2 is told alone.
opening frameworks/h200/pieces-32k 'small parts of step 2: may save 340 us' "of each round's 536 us"
# Its grid of 4 blocks leaves most SMs idle: only whether rounds are independent is open.
opening corpus/h100/develop/hec-ga 'nothing for certain, but double-buffer of phase 1 may save' \
	' % of the run), effort: host code at several places, only if neither'
opening corpus/contact-4/fourth/hec-ecdh 'of step 1: saves 19.0 ms ('
# What comes once is little; what grows with the run is told beside it.
opening traces/matmul-naive-2048-pinned 'if the data is in malloc memory already, register' ' Step 2 may save 1.02 ms of each'
opening corpus/contact/first/hec-haccmk 'only if neither a'
opening frameworks/h100/item 'may save 793 us of each round'
opening frameworks/h200-5/decode-2 'may save 1.15 ms of each round'
# What saves less than the step is not asked before it. Step 2 has a condition.
opening corpus/contact-15/fifteenth/zet-hash 'In short: pin the host buffers of step 1: saves 13'
# The host's time is that of the copy which the step leaves out.
opening frameworks/h200-3/loader-2 "the host's code: 16.6 % of the traced part, the most" \
	'before cudaMemcpyAsync at loader.py:39; then answer: could data stay'
# Nor is it left out where no line is known.
opening frameworks/h200-5/loader-1 "In short: first profile the host's code: " \
	'% of the traced part; then pin the host buffers of loader.py:39'
# What comes behind it may be little, and hang on a condition.
opening frameworks/h200-3/jax_put-1 'of the traced part, the most before' '; then copy the data of step 1' \
	"of 1.15 s traced, only if a round's input does not"
opening traces/pop_buoydiff-1024-pinned 'Registering (step 1) may save 336 ms once, or lose time.'
opening frameworks/h200-5/jax_put-1 'no change of data movement is worth it in the traced part of 2.61 s'
opening frameworks/h200-2/cupy_reduction-1 'In short: pin the host buffers'
# "Nothing" never stands above steps.
opening corpus/contact-10/tenth/comp-raytrace 'In short: little to gain in this run; for longer'

# Without counters, mapped memory comes first if a round is shorter in the worst case.
prints 'xferspy report --machine h200 $reports/advice/tiny-copies.txt' \
	'1? mapped: a round: 34.4 us' 'effort: host code at one place'

# Nothing is copied: no wait between the kernels has a result to wait for.
prints 'xferspy report --machine h200 $reports/advice/kernel-waits.txt' \
	'1? async: a round: 79.4 us -> 69.4 us' \
	"Leave out the host's waits between a round's kernels (2 calls:" \
	'only if the host needs nothing of a kernel before it launches the next'

# The host may read there what kernels write.
prints "sed 's/\"cudaMalloc\"/\"cudaMallocManaged\"/' \$reports/advice/kernel-waits.txt >managed.txt
	xferspy report --machine h200 managed.txt" 'nothing without a condition'
# Of a run of which the steady part is next to nothing.
prints "sed 's/end_realtime_ns=1767323045/end_realtime_ns=1767323065/' managed.txt >long.txt
	xferspy report --machine h200 long.txt" \
	'Trace a longer run: the steady part is 0.0 % of this one'

# Rounds that were counted go on as those recorded; what that does not explain is said.
prints "xferspy report --machine h200 \$reports/advice/counted.txt | tr '\n' ' '" \
	'Steady part: 2.50 s (96.3 % of the run)' \
	'if all rounds are like the recorded ones, they take 1.22 s of it' \
	'record a later part, as with XFERSPY_RANGE=1+1. !'

# One thread waits for a GPU before it issues to the next: 15.1 ms of each.
prints "xferspy report --machine h200 \$reports/advice/two-gpus.txt | tr '\n' ' '" \
	'first let the 2 GPUs work at one time, if none needs what another one computes: up to 11.5 %' \
	'The 2 GPUs work in turn: one thread waits for one before it issues to the next.' \
	'saves up to 15.1 ms (48.9 % of the steady part)'
# Not if a stream waits for an event, which may be of the other GPU.
sed 's/call_class=14 site=7 /call_class=17 site=7 /' \
	"$reports/advice/two-gpus.txt" >events.txt
prints 'xferspy report --machine h200 events.txt | grep -c "in turn" || true' 0

# The loop is the 23rd phase, behind single rounds that are longer.
awk '/^header/ { sub(/end_realtime_ns=17673230450995/, "end_realtime_ns=17673230459995") }
	/^shape/ { for (i = 0; i < 22; i++)
		print "site call_class=5 site=" 20 + i " function=3 module=4294967295 offset=" 9000 + i }
	{ print }
	END { for (i = 0; i < 22; i++) {
		at = 100000000 + i * 6000000; c = 1000 + 3 * i
		print "call site=" 20 + i " correlation=" c " start=" at " duration=3000"
		print "call site=10 correlation=" c + 1 " start=" at + 4000 " duration=3000"
		print "waitcall site=11 correlation=" c + 2 " start=" at + 8000 \
			" duration=5000000 stream=20480"
		print "kernel correlation=" c " start=" at + 3000 " duration=5000000 shape=1"
		print "copy correlation=" c + 1 " start=" at + 5004000 " duration=1000 bytes=8 " \
			"direction=2 src_memory=3 dst_memory=1 flags=1 copies=1"
	} }' "$reports/advice/decode.txt" >behind.txt
prints 'xferspy report --machine h200 behind.txt | tr -s " \n" " "' \
	'launch each round of step 1 as one graph' ' 23 4 '

# What is copied in once and used once has no reason to stay; no question asks for it.
prints "xferspy report --all --machine h200 \$reports/advice/streamed.txt | tr -s '\n ' '  '" \
	'no resident: each round copies in data that no other round does: what is used once'
expect 1 '' - 'xferspy report --machine h200 $reports/advice/streamed.txt | grep "data stay"'

# Sixteen lines of one program are pinned in one step, and two steps are told at most.
prints "xferspy report --machine h200 \$reports/advice/many-lines.txt | tr -s '\n ' '  '" \
	'of step 1: saves 3.54 ms' \
	'+0x10d6, +0x1107 and for 12 more phases: 3.32 ms of the saving.'
expect 0 2 - 'xferspy report --machine h200 --format json $reports/advice/many-lines.txt |
	grep -c "\"step\": [1-9]"'

# The range that was traced, and what is behind --all or in no step.
in_one_line() {
	local trace=$1
	shift
	prints "xferspy report \$examples/$trace.xspy | tr -s ' \n' ' '" "$@"
}
in_one_line frameworks/h200-3/jax_put-1 'save at most 15.6 ms, of which 15.2 ms in the' \
	'part (10.9 % of it): 1.4 % of'
# A step has its row, if it is a loss in this run, too.
in_one_line traces/matmul-naive-2048-pinned 'double-buffer* 2.55 ms'
# The host works beside a GPU that is hardly idle; a row has one range.
prints "xferspy report --machine \$examples/frameworks/others/h200/machine.json \
	\$examples/frameworks/others/h200/gat.xspy | tr -s ' \n' ' '" 'idle; kernels are the limit, beside which the' \
	'graph would save 6.2 % of it, but only if no' 'async* 5.64 ms 4.98-7.19 ms'
in_one_line frameworks/typical/h200/ddp '-> 17.6 ms (14.5-25.5 ms)), but only if no'
# A thread of XLA has no line of Python. Start-up is more than the host's code.
in_one_line frameworks/others/h200/flax_dp '(no line of Python) and before ' ' 3 197 1.37 ms'
opening frameworks/typical/h200/ddp "In short: in longer runs, first profile the host's code: " \
	'% of the steady part, the most before' 'then no change of data movement is worth it'
# No change saves less than nothing beside a kernel that is longer than the steady part.
prints "xferspy dump \$examples/frameworks/h200/jax_put-1.xspy |
	sed '/^kernel queue=3 correlation=8062 /s/duration=21185/duration=4294967295/' |
	xferspy report --machine h200 - | tr '\n' ' '" \
	'movement save at most 0 ns: 0.0 % of the steady part'
# No kernel ran.
prints "sed '/^kernel/d;/^call site=3/d' \$reports/advice/host-bound.txt |
	xferspy report --machine h200 - | tr '\n' ' '" 'no kernel ran, and the host'
# Three callers have a function that records an event; the host's part of the last round
# is behind the rounds; addresses differ, which is told before the spread of the rounds.
in_one_line frameworks/contact17/h200/voronoi ', the most before cudaEventRecord in voronoi+0x18b5c, reached by a call in voronoi+0xf03f; then nothing' \
	'Compile with -g' 'as-is 158 ms 158-200 ms' \
	'takes 1.62 ms once, and only if you keep one set of buffers: now their addresses differ.'
# A round copies a state out to where it came from: nothing to copy ahead for the next one.
in_one_line corpus/contact-15/fifteenth/zey-nbody '?. Could all data stay on the GPU? resident-throughout'
# Buffers of small copies are not pinned, nor priced.
in_one_line corpus/contact-14-h100/fourteenth/cai-topk '(1 buffer; cudaHostRegister would take 182 us)'
# The phase of each step is told.
in_one_line corpus/contact-2/second/blog-finite-difference '5 20 789 us' 'and 3 more phases'
# Without call stacks, one function copies both ways.
prints "xferspy report --machine h200 \$source/tests/analyzer/import/recorded/rounds-h200.sqlite.gz |
	tr -s ' \n' ' '" 'Record call stacks: the report then names the places.' 'its copies out 364 ms, its copies in 82.8 ms, its overhead'
in_one_line frameworks/h200-4/jax_put-1 '16 MiB pinned 42.1 us' '44 in the steady part' \
	'What precedes the steady part is 8'
in_one_line corpus/contact-4/fourth/sam-occupancy 'copy calls that stage pageable memory'
in_one_line frameworks/h200-3/loader-2 'divided by its 43 rounds' \
	'per round of part of traced' '183 ms in the steady part (39.8 % of it)'
in_one_line frameworks/h200/kv_paging-1 'copied.synchronize()' 'copied.record()'
in_one_line frameworks/h200-5/jax_put-1 'before it: 495 ms; afterwards'
in_one_line frameworks/h200-5/to_device-1 "idle; the host's code is the limit."
in_one_line frameworks/h200-5/offload-1 'divided by its 13 rounds' '1 GiB in 16 copies'
in_one_line frameworks/h200-2/decode-1 'divided by its 43 rounds' '8 B in 1 copy'
in_one_line frameworks/h200-5/decode-1 'Steady part: 1.93 s (79.5 % of'
# each token of a decoder, and each batch that processes of a DataLoader made
prints "xferspy report --machine h200 \$traces/cached-eager.xspy | tr -s ' \n' ' '" \
	'2 44 2.96 ms 2.7 % - 793 us 8 B pinned' 'out cached.py:71' \
	' 1? graph: a round of phase 2: 2.96 ms -> 920 us' 'computes between them (3.12 ms slower if not)'
prints "xferspy report --machine h200 \$traces/workers-pageable.xspy | tr -s ' \n' ' '" \
	'2 44 4.59 ms 2.2 % 4.69 MiB pageable 203 us' 'kernel workers.py:32, :33, mean'
# each step of training whose host never waits, and what only data orders of it
in_one_line frameworks/typical/h200/gpu_bound 'Bound by kernels with copies within a GPU (91.4 %' \
	'2 64 4.31 ms 3.7 % 16 MiB pinned 3.93 ms -'
prints "xferspy report --dataflow \$examples/frameworks/typical/h200/gpu_bound.xspy | tr -s ' \n' ' '" \
	'8 of its rounds' '296 ops, 0 of them of unknown'
# each step of JAX, whose copies its threads issue, or each of 24 loops of 100 graphs
in_one_line frameworks/typical/h200-2/jax_train 'divided by its 10 rounds' \
	'6 10 2.40 ms 0.4 % 8.12 MiB pinned 167 us'
in_one_line frameworks/typical/h200/jax_scan 'divided by its 22 rounds' \
	'8 B pinned 1.37 ms 4 B pinned'
# autograd's threads have no frame of Python
in_one_line frameworks/typical/h200/item-eager 'of launches in autograd'"'"'s backward pass, item.py:'
# the last kernel is launched from the line of .item()
in_one_line frameworks/h100/decode 'of decode.py:21, :32 without its copy, and launch them as one'
in_one_line validate/patterns/h100-b/first/converge-16777216-traced \
	'and 1 more step outside the steady part saves 7.51 ms' ' 1? pinned: a round' \
	'may save 42.9 us (from 15.4 us slower'
# The waits add up, and a copy that takes less than its wait has its time.
in_one_line corpus/contact-4/fourth/pro-stencil '1.4 % 0.1 % at 3 more call sites (--all)' \
	'one call of 32.0 MiB: the copy' 'may stay pageable'
in_one_line corpus/contact-13/thirteenth/mai-spmv 'become 1, gathered in 12.1 us by one host'
in_one_line corpus/contact-9/ninth/rob-rrt-nearest \
	'rob-rrt-nearest+0x2f94, one call: the call itself'
in_one_line corpus/contact-10/tenth/sora-tof-flying \
	'148 us 8.2 % 0.5 % cudaMemcpy in sora-tof-flying+0x2bc3, one call of 1.17 MiB' \
	'379 us 21.0 % 1.4 % at 7 more call sites: cudaFree 237 us, cudaMalloc 143 us' 'no step: reuse saves'
in_one_line frameworks/h200-3/jax_put-2 'then 1.14 s'
# Batches are new ones, if also at the same addresses.
in_one_line frameworks/h200-3/loader-1 'once with pin_memory(), then' '| # or DataLoader(data, pin_memory=True)'
# Twenty kernels and a test a round: the host's launches; and pieces of 64 KiB.
in_one_line frameworks/typical/h200-2/converge "the host's code before __cudaLaunchKernel at" \
	'is the limit.' ' 1? graph: a round of phase 1: 191 us -> 48.0 us'
# A step for several phases is within the limit.
# CuPy's copies in and out of pinned memory.
in_one_line frameworks/typical/h200-2/cupy_fft '| device.set(pinned) ' \
	'| device.get(out=pinned) '
# The trace has no address of what CuPy stages: its arrays may be parts of one.
in_one_line frameworks/typical/h200-2/cupy_chunks 'neither pinned nor parts of a larger one. Verdict' \
	'as every round uses the same buffers (their addresses are not known)'
# A result is read behind the next copy's issue and before its stream waits for it.
in_one_line frameworks/typical/h200/images-0 'copy the data of' \
	'y = f(x) # this round | with torch.cuda.stream(side): x = host.to(' '| # read y here, after the next round'"'"'s x is' \
	'these copies are issued: its kernels then overlap them and the host'"'"'s work'
in_one_line frameworks/h200-3/cupy_reduction-2 \
	'| y = f(x[k]); x[1 - k].set(batch, stream=copies)' '| # read y here, after the next copy is'
in_one_line frameworks/typical/h200-2/llama_decode 'save at most 109 ms: 65.3 %' 'may save 109 ms'
in_one_line frameworks/typical/h200-2/pieces2048 ' 1. streams n=8: a round: ' \
	'Use 8 pieces of 2 MiB instead of 256' 'which its 256 pieces meet now'
# A condition halves a gain.
in_one_line corpus/contact-14/fourteenth/big-streams \
	"Bound by the host's own code, most of it before cudaMemcpyAsync in"
# Launches that wait until a copy is staged are waits of all changes.
in_one_line frameworks/typical/h200-2/threads 'double-buffer* 1.67 ms'
in_one_line corpus/contact-4/fourth/hec-complex '+0x1922: 5.27 ms of the saving. (--all)'
in_one_line corpus/contact-9/ninth/rod-lavaMD 'saves up to 3.63 ms (at least 1.52 ms)'
in_one_line corpus/contact-6/sixth/hec-cobahh ' 2. reuse: a round' 'saves 2.89 ms'

# What is a step, and what a question, is one rule.
rule=$(xferspy report --machine h200 --all "$stencil" | tr -s ' \n' ' ' |
	grep -o '"1\." is a step: .* the place of steps\.')
prints "tr -s ' \n' ' ' <'$source/docs/advice.md'" "${rule:-no rule}"

# What a step saves of the setups before it is told: sums are those of the page.
occupancy=sam-occupancy.xspy
prints "xferspy report --all --machine \$corpus/contact-4/machine.json \
	--counters \$corpus/contact-4/counters/$occupancy \
	\$corpus/contact-4/fourth/$occupancy | tr -s ' \n' ' '" \
	'may save 2.10 ms (from' 'Its setup takes 769 us, 157 us less than'
# A program of the driver API is told its calls.
sed 's/cudaMemcpy"/cuMemcpyHtoD_v2"/; s/cudaMallocHost"/cuMemAllocHost_v2"/' \
	"$source/tests/report/advice/alloc-round.txt" >driver.txt
prints "xferspy report --machine h200 --all driver.txt" \
	'cuMemHostRegister(data, bytes, 0);' 'cuMemcpyHtoDAsync(d[k], in[k], n, s[k])'

# The mean round is a fifth less than the median one: changes are of it, too.
in_one_line frameworks/contact17/h200/voronoi 'pinned is no step for phase 1: it saves 13.7 ms'

# No row beside the rounds as they are.
in_one_line traces/sweep-w2000-15728640-counters \
	'none is predicted to shorten a round and this run'

# Texts of these reports, each line of text joined with the next one.
joined() {
	local trace=$1
	shift
	prints "xferspy report \$examples/$trace.xspy | tr '\n' '@' |
		sed 's/@  *\([a-z(]\)/ \1/g'" "$@"
}
# Of what XFERSPY_RANGE traced.
joined frameworks/h200/kv_paging-1 'before it: 998 ms'
# No longer than the steady part.
joined frameworks/h200/jax_put-1 ' 4.06 ms     14.3 %'
joined frameworks/h100/to_device 'each round has new pages, by its page faults' '-> 2.12 ms' \
	'double-buffer*  2.12 ms'
joined corpus/contact-2/second/sam-matrixMul 'setup takes about 813 us' \
	'27.5 ms   813 us'
joined corpus/contact-6/sixth/hec-jenkins-hash 'its overhead 104 us, other copies in 19.1 us' \
	'2? double-buffer, better than step 1 from 127 rounds on (this run of 8 would take' 'once 7.63 ms'
in_one_line corpus/contact-2/second/hec-rainflow \
	"(19.7 % of the run)."
in_one_line corpus/contact/first/rod-hotspot3D \
	'72.1 ms (65-142 ms): 39.3 %'
in_one_line corpus/contact/first/shoc-scan \
	'already, register it instead of 2 calls'
in_one_line corpus/contact-6/sixth/hec-particle-diffusion 'here 1.46 ms (' ') of 257 ms' \
	"own 238 ms, the program's 9.51 ms"
in_one_line corpus/h100/develop/rod-lud \
	'the round before wrote, and kernels run side by side, on SMs'
in_one_line corpus/h100/develop/hec-car 'resident* ~1.46 ms'
in_one_line corpus/contact-13/thirteenth/mai-spmv 'a later step, takes its place: ' \
	'computes between them; as long as the data is contiguous'
in_one_line corpus/contact-10-h100/tenth/rio-differentiate 'of 277 ms' 'then 266 ms'
joined corpus/contact-10-h100/tenth/comp-raytrace 'before the steady part'
joined corpus/h100/develop/hec-entropy 'no step: streams saves 14.6'
joined corpus/contact-2/second/hec-rainflow 'saves 14.5 ms more'
joined corpus/h100/develop/sam-BlackScholes '(run --counters tells)' 'Start-up is 77.7 %'
joined corpus/contact-7/seventh/hec-scatterAdd '-> 581 us (556-622 us)' \
	'581 us    556-622 us' '; buffers of small copies (1 call) may stay pageable.'
joined corpus/contact-3/third/hec-iso2dfd '+0x15ad, one call'
joined corpus/contact/first/hec-haccmk \
	'If its condition does not hold, reuse saves about 42.7 ms'
joined corpus/contact-10/tenth/sora-tof-flying \
	'may save 365 us (from 3.77 ms slower to 3.98 ms faster): 1.7 %'
joined corpus/contact-7/seventh/hec-asta 'effort: host code at several places (--all)@' \
	'save at most 11.9 ms: 36.1 %' '; 28.7 ms (87.3 %) if kernels run side by side'
joined corpus/contact-13/thirteenth/gen-histogram \
	'wrote (kernels then run side by side)' \
	'save at most 96.9 ms: 35.9 %' '; 177 ms (65.5 %) if kernels run side by side'
opening corpus/contact-9/ninth/hec-base64e 'In short: little to gain; if the data is in malloc memory'
prints "xferspy report --machine h100 \$corpus/contact-9/ninth/hec-base64e.xspy | tr '\n' '@'" \
	'not compared with this run@@Coverage'
joined corpus/contact-10/tenth/pmpp-grayscale 'save at most 39.4 ms: 98.8 %'
joined corpus/h100/develop/sam-histogram "the program's 824 ms; afterwards"

# Of several phases, and slower than the median round: no time is cut.
prints 'xferspy report --machine h100 --dataflow $corpus/contact-4/fourth/hec-complex.xspy' \
	'A round and the other work until the next one take'
prints 'xferspy report --machine h100 --dataflow $corpus/contact-8/eighth/hec-resize.xspy' \
	'takes 2.92 ms, and at least 2.67'
# Who needs what; the graph of a trace without pointers says why it is empty.
golden dataflow.txt \
	'xferspy report --machine h100 --dataflow $reports/dataflow/layers-pinned.xspy |
	last_section Dataflow'
golden dataflow-verdict.txt 'xferspy report --machine h100 $reports/dataflow/layers-pinned.xspy |
	sed -n "/hanges of/,/^Steady/p;/^Dataflow/p"'
# Five pointers into one allocation; the last kernel is unknown.
golden dataflow-unknown.txt 'xferspy report --machine h100 --dataflow \
	$source/tests/analyzer/golden/pointers.trace | last_section Dataflow'
# Why a launch is unknown whose own memory is known.
pointers=$source/tests/analyzer/golden/pointers.trace
prints 'sed "/correlation=5 /{/^call/d;/^pointers/d}" $pointers >changed.txt
	xferspy report --machine h100 --dataflow --format json changed.txt' \
	'launch beside GPU work without a call'
prints 'sed "/^memcall.*=8192/d" $pointers >changed.txt
	xferspy report --machine h100 --dataflow changed.txt' \
	'reads memory that no recorded call allocated;'
prints 'sed "/^memcall.*=8192/d" $pointers >changed.txt
	xferspy report --machine h100 --dataflow --format json changed.txt | tr -d " \n"' \
	'"device":true,"offset":null,"bytes":null'
# Copies to different symbols do not need each other.
prints 'xferspy report --machine h100 --dataflow \
	$corpus/contact-15/fifteenth/joh-option.xspy | tr -s " \n" " "' \
	'0x8e21: reads 4 B of the host; writes memory that no recorded call allocated follows 0 (reuse)' \
	'follows 4, 3, 2, 1, 0 (need)' \
	'perhaps (kernels may use memory that no recorded call allocated).'
# Which setting shows launches that the default does not record.
prints 'sed "/^pointers.*correlation=[58] /d" $pointers >changed.txt
	xferspy report --machine h100 --dataflow --format json changed.txt' \
	'launches without their pointers (XFERSPY_DATAFLOW=all records them)'
# Where the search for dependencies ends, it is told: 7,000 copies and 2,500 kernels a round.
awk '/^copycall/ { exit } { sub("bytes=4096$", "bytes=65536"); print }' $pointers >changed.txt
awk '
	function op(kind, site, record, more) {
		number++
		printf "%s queue=0 correlation=%d start=%d duration=50 %s\n",
			kind, number, number * 100 + 20, record >"ops.txt"
		printf "%s site=%d correlation=%d start=%d duration=%d%s\n",
			kind == "copy" ? "copycall" : "call", site, number, number * 100,
			site == 3 ? 90 : 10, more
	}
	BEGIN {
		in_one = "bytes=1 direction=1 src_memory=1 dst_memory=3 copies=1"
		out = "bytes=8 direction=2 src_memory=3 dst_memory=1 copies=1"
		for (round = 0; round < 3; round++) {
			for (i = 0; i < 7000; i++)
				op("copy", 1, in_one, " bytes=1 dst=" 7340032 + i \
					" src=65536 rows=1 direction=1")
			for (i = 0; i < 2500; i++) {
				op("kernel", 5, "shape=1")
				printf "pointers site=5 correlation=%d start=%d duration=10 known=1 count=1 address0=7340032\n",
					number, number * 100
			}
			op("copy", 3, out, " bytes=8 dst=65536 src=8388608 rows=1 direction=2")
		}
		print "chunk base_ns=1000000000"
	}' >>changed.txt
cat ops.txt >>changed.txt
prints 'xferspy report --machine h100 changed.txt' 'of phase 1 and those after it: the search took'
golden dataflow.dot \
	'xferspy report --machine h100 --format dot $reports/dataflow/carried-pinned.xspy |
	sed "1s/\".*\"/\"TRACE\"/"'
golden task-class.txt \
	'xferspy report --all --machine h100 $reports/dataflow/vecadd-static.xspy |
	section Phases Strategies'
golden no-dataflow.dot 'xferspy report --format dot $traces/two-kernels.txt |
	sed "1s/\".*\"/\"TRACE\"/"'

prints "xferspy report \$traces/killed.txt | tr -s ' \n' ' '" \
	'the last 1 of 1 calls that issue GPU work have no GPU times; 0 rounds' \
	'written; let it run longer'
# Without calls, GPU times are complete only in a whole file.
golden cut-note.txt 'xferspy report $traces/cut.txt | grep -A1 "^! no call"'
# What was recorded, what is matched, and why the rest is not.
for name in pinned partly nothing killed cut; do
	golden $name.txt 'xferspy report $traces/$name.txt | section Coverage Where'
done

# A kernel that stays: the graph before it is thrown away, and behind merged copies it
# saves too little for kernels that are rewritten.
stays() {
	prints "xferspy report --machine $1/machine.json --counters \
		$1/$2-counters.xspy $1/$2.xspy | tr -s ' \n' ' '" "$3"
}
stays "$examples/initiated/h100-3" levels 'device-initiated, a later step, takes its place'
stays "$initiated" halo 'device-initiated of phase 2 saves 1.22 ms more (too little for rewritten kernels'

# A read of a byte takes 3 years, or at most: a time beyond any run is no prediction.
for key in '[a-z]*' high; do
	sed '/"mapped_read": {/,/}/s/"\('"$key"'\)": [0-9.e-][0-9.e-]*/"\1": 1e17/' \
		"$initiated/machine.json" >slow.json
	prints 'xferspy report --all --machine ./slow.json $initiated/halo.xspy | tr -s " \n" " "' \
		'no mapped, device-initiated: its time is longer than a run can be'
done
exit $failed

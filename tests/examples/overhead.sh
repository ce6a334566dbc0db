#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the overhead benchmark on the simulated device and checks its page;
# docs/overhead.md and README must have the latest measurements.
# overhead.sh SOURCES BUILD PYTHON
set -u
sources=$1
build=$2
python=$3
overhead=$sources/examples/overhead
. "$(dirname "$0")/../scratch.sh"

# page.py ARGS...: writes no byte code into the sources.
page() {
	"$python" -B "$overhead/page.py" "$@"
}

# Replaces nsys: stores its arguments, leaves a trace, runs the program.
cat >"$scratch/nsys" <<'EOF'
#!/bin/sh
[ "$1" = profile ] || { echo "simulated nsys 1.2"; exit; }
echo "$*" >>"${0%/*}/asked"
while [ "$1" != -o ]; do shift; done
echo trace >"$2.qdstrm"
shift 2
exec "$@"
EOF
chmod +x "$scratch/nsys"

LD_LIBRARY_PATH=$build/tests/sim/lib NSYS=$scratch/nsys "$python" -B \
	"$overhead/measure.py" --turns 2 --calls 200 --starts 3 \
	--name simulated -o "$scratch/results.json" "$build" >"$scratch/out" 2>&1 ||
	fail "measure.py: $(cat "$scratch/out")"
LD_LIBRARY_PATH=$build/tests/sim/lib NSYS=$scratch/nsys "$python" -B \
	"$overhead/pointers.py" --turns 2 --calls 200 --name simulated \
	-o "$scratch/pointers/simulated.json" "$build" >"$scratch/out" 2>&1 ||
	fail "pointers.py: $(cat "$scratch/out")"
grep -qE '^  all +[0-9.]+x untraced +[0-9.]+x off$' "$scratch/out" ||
	fail "pointers.py has no ratios: $(cat "$scratch/out")"
cp "$sources/README.md" "$scratch/README.md"
page --write "$scratch/overhead.md" --readme "$scratch/README.md" \
	"$scratch/results.json" || fail "page.py"

# has PATTERN WHAT: one line of the page matches.
has() {
	[ "$(grep -cE "$1" "$scratch/overhead.md")" -eq 1 ] ||
		fail "the page has no $2: $(cat "$scratch/overhead.md")"
}

time='[0-9.]+ (ns|µs|ms)'
# one of the compared runs may have been delayed: any sign
more="[+-]$time, -?[0-9.]+x"
has "^\\| launch \\| $time( \\| $more){2} \\| – \\| $more \\| – \\| $more \\|" \
	"launches, in all ways but by node"
has "^\\| replay of a graph of 22 ops \\| $time( \\| $more){6} \\|" \
	"graphs, in all ways"
ratio='[0-9.]+ \([0-9.]+ – [0-9.]+\)'
has "^\\| simulated: [^|]*, [-0-9]+ \\| shared \\| 2 \\| $ratio \\| $ratio \\|" \
	"cost of pointers"
grep -q 'without the pointers of launches' "$scratch/overhead.md" &&
	fail "the page says that pointers were not recorded"
for name in launch '.cudaMemcpyAsync., 4 KiB' 'launch \+ stream sync'; do
	has "^\\| $name, quiet \\| $time( \\| $more){2} \\| – \\| $more \\| – \\|$" \
		"calls in quiet moments: $name"
done
signed="[+-]$time"
of_mean="$signed ± $time, -?[0-9.]+ ± [0-9.]+ %"
of_pairs="$signed \\| $signed to $signed \\| $of_mean"
# two pairs have no middle half
for launches in 20 200; do
	has "^\\| $launches \\| – \\| 2 \\| $time \\| $signed \\| – \\| $of_mean \\|" \
		"light of $launches launches"
done
has "^\\| 2,000 \\| – \\| [0-9]+ \\| $time \\| $of_pairs \\|" \
	"light of 2,000 launches"
error="$signed ± $time"
share='-?[0-9.]+ ± [0-9.]+ %'
has "^\\| – \\| 6 \\| 1 \\| $time( \\| $error){4}, $share \\| $error, $share \\|$" \
	"what light's cost is made of"
# where processes may be traced
instructions() {
	LD_LIBRARY_PATH=$build/tests/sim/lib \
		"$build/examples/overhead/instructions" "$@"
}
if instructions copy 500 >"$scratch/stepped"; then
	count='[1-9][0-9,]* in [1-9][0-9,]*'
	rows=$(grep -cE "^\\| \`libcudart\`( \\| $count){5} \\|$" \
		"$scratch/overhead.md")
	[ "$rows" -eq 2 ] || fail "$rows tables of instructions, not 2"
	rows=$(grep -cE "^\\| \`libxferspy\`( \\| 0){2} \\| $count \\| 0 \\| $count \\|$" \
		"$scratch/overhead.md")
	[ "$rows" -eq 2 ] || fail "$rows rows of xferspy's instructions, not 2"
else
	[ $? -eq 77 ] || fail "instructions: $(cat "$scratch/stepped")"
fi
ms='[0-9.]+ ms \([0-9.]+ – [0-9.]+\)'
more_ms='[+-][0-9.]+ ms \([+-][0-9.]+ to [+-][0-9.]+\)(, within its spread)?'
has "^\\| untraced \\| $ms \\| – \\| $ms \\| – \\|" "start-up untraced"
for way in "CUPTI's records alone" xferspy "xferspy light"; do
	has "^\\| $way( \\| $ms \\| $more_ms){2} \\|" "start-up of $way"
done
grep -q '(3 runs)' "$scratch/overhead.md" || fail "not 3 starts"
grep -qE "^\\| launch \\| $time" "$scratch/README.md" ||
	fail "README has no new table"
# Only graphs are traced by node; the first call tests whether that works.
[ "$(grep -e '--cuda-graph-trace=node' "$scratch/asked" | sed 1d |
	grep -c 'launch_bench graph 1000$')" -eq 12 ] ||
	fail "by node, not twelve graphs: $(cat "$scratch/asked")"
[ "$(grep -c -e '--cuda-graph-trace=node' "$scratch/asked")" -eq 13 ] ||
	fail "by node, more than graphs: $(cat "$scratch/asked")"

# The remaining cost of CUPTI, measured by its own program.
attached() {
	LD_LIBRARY_PATH=$build/tests/sim/lib XS_SIM_CALL_NS=0 \
		"$build/examples/overhead/attached" \
		"$(echo "$build"/tests/sim/lib/libcupti.so.1?)" "$@" short |
		sed 's/  *[0-9]*  *[0-9]*$//' | tr '\n' ';'
}
again='attached;switched off;detached;'
[ "$(attached)" = "before;$again$again" ] || fail "attached: $(attached)"
[ "$(attached early)" = "$again$again" ] ||
	fail "attached early: $(attached early)"
[ "$(attached callbacks early)" = "$again$again" ] ||
	fail "attached callbacks early: $(attached callbacks early)"

# Launches along a run, with and without the library.
along() {
	LD_LIBRARY_PATH=$build/tests/sim/lib XS_SIM_CALL_NS=0 \
		XFERSPY_OUTPUT=$scratch/along.xspy XFERSPY_SUMMARY=0 \
		LD_PRELOAD=$1 "$build/examples/overhead/along" 40000 |
		sed 's/  *[0-9]*$//; s/[-0-9.]*\([,}]\)/\1/g' | tr -d ' ' | tr '\n' ';'
}
lines='10000;20000;30000;40000;{"along":{"begin_ns":,"mean_ns":,"through_ns":,"past_ns":}};'
[ "$(along '')" = "$lines" ] || fail "along: $(along '')"
[ "$(along "$build/lib/libxferspy.so")" = "$lines" ] ||
	fail "along, traced: $(along "$build/lib/libxferspy.so")"
[ "$("$build/bin/xferspy" dump "$scratch/along.xspy" |
	grep -c '^call .*')" -ge 30000 ] || fail "along: calls are missing"

# Values with a spread larger than themselves are marked; older results without
# some values are accepted.
"$python" - "$scratch/results.json" "$scratch/altered.json" <<'EOF' ||
import json
import sys

results = json.load(open(sys.argv[1]))
more = results["startup_more_ms"]
more["cuda"]["xferspy"] = {"median": 20, "low": -30, "high": 50}
more["no_cuda"]["xferspy"] = {"median": 0.1, "low": 0.09, "high": 0.12}
for key in ("launches", "startup_runs"):
    del results[key]
del more["cuda"]["light"]
results["machine"] = "altered"
json.dump(results, open(sys.argv[2], "w"))
EOF
	fail "no altered results"
echo "## By hand" >"$scratch/altered.md"
page --write "$scratch/overhead.md" "$scratch/altered.json" || fail "altered"
has '\+20.0 ms \(-30.0 to \+50.0\), within its spread \|.*\+0.12\) \|$' \
	"difference within its spread"
has "^\\| xferspy light \\| $ms \\| – \\| $ms" "dash for what is missing"
mkdir "$scratch/light"
for gpu in a-0 a-1 b-0; do
	sed 's/"machine": "[^"]*"/"machine": "altered"/' \
		"$scratch/results.json" >"$scratch/light/altered-$gpu.json"
done
page --write "$scratch/overhead.md" "$scratch/altered.json" || fail "apart"
has "^\\| 2,000 \\| a \\| 12 \\| $time \\| $of_pairs \\|" \
	"pairs of two results of one host"
has "^\\| 2,000 \\| b \\| 6 \\| $time \\| $of_pairs \\|" \
	"pairs of another host"
has "^\\| b \\| 6 \\| 1 \\| $time( \\| $error){4}, " "what it is made of, by host"
has "^\\| all \\| 24 \\| 4 \\| $time( \\| $error){4}, " "the same of all hosts"
has '^## By hand$' "text that stands beside the results"

# Several hosts: the last one measured comes first; of several GPUs of one host,
# the medians.
"$python" - "$scratch/results.json" "$scratch/host" <<'EOF' ||
import json
import pathlib
import sys

results = json.load(open(sys.argv[1]))
results["machine"] = "host"
folder = pathlib.Path(sys.argv[2])
folder.mkdir()
for name, ns in (("a-0", 1500), ("b-0", 1000), ("b-1", 2000), ("b-2", 4000)):
    for time in ("call_ns", "quiet_ns"):
        results["host_ns"]["nothing"]["launch"][time] = {
            "median": ns, "low": ns, "high": ns}
    results["date"] = "2026-01-01" if name == "a-0" else "2026-01-02"
    results["startup_runs"]["cuda"] = 40 if name == "a-0" else 3
    (folder / f"host-{name}.json").write_text(json.dumps(results))
for way in results["host_ns"].values():  # from a run of other parts only
    way.pop("launch", None)
del results["light_pairs_ns"]["launch"], results["startup_runs"]["cuda"]
(folder / "host-c-0.json").write_text(json.dumps(results))
EOF
	fail "no results of several hosts"
page --write "$scratch/overhead.md" "$scratch"/host/host-*.json || fail "hosts"
tr '\n' ' ' <"$scratch/overhead.md" | tr -s ' ' >"$scratch/line"
grep -q 'This is host b, measured last' "$scratch/line" ||
	fail "not the last one measured first"
grep -q 'the medians of 3 GPUs, .* in 2 turns of 3 to 6 runs of each way' \
	"$scratch/line" || fail "not the turns of all GPUs"
[ "$(grep '^| launch |' "$scratch/overhead.md" | grep -v ' / ' | cut -d '|' -f 3 |
	tr -d '\n')" = " 2000 ns  2000 ns – 2000 ns  1500 ns " ] ||
	fail "not the medians of GPUs: $(grep '^| launch |' \
		"$scratch/overhead.md")"
grep -q 'Host c, on' "$scratch/line" || fail "no host without launches"
grep -q 'Host a, on [-0-9]*, the median of 2 turns of 3 to 6 runs of each way' \
	"$scratch/line" || fail "no other host"
grep -q ', on host a, which has the most runs: .* (40 runs)' "$scratch/line" ||
	fail "not the host of the most starts"
has "^\\| 2,000 \\| b \\| 18 \\| $time \\| $of_pairs \\|" \
	"pairs of all GPUs"

cp "$sources/README.md" "$scratch/README.md"
page --write "$scratch/overhead.md" --readme "$scratch/README.md" \
	"$overhead"/results/h*.json || fail "page.py of what was measured"
for file in docs/overhead.md README.md; do
	diff -u "$sources/$file" "$scratch/${file#docs/}" ||
		fail "$file is not of today; write it again:" \
			"examples/overhead/page.py --readme README.md" \
			"examples/overhead/results/h*.json"
done
exit "$failed"

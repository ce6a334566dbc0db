#!/bin/sh
# SPDX-License-Identifier: MIT
#
# browser.sh XFERSPY SOURCE_DIR FOLDER BROWSER...: makes pages of example traces in
# FOLDER and tries them in the first BROWSER that there is. Exits 77 without one,
# node or npm's registry. FOLDER keeps playwright-core and the screenshots.
set -eu
xferspy=$1 source=$2 folder=$3
shift 3

for name; do
	browser=$(command -v "$name") && break
done
if [ -z "$browser" ] || ! command -v node npm >/dev/null; then
	echo "skipped: $1, node or npm is missing"
	exit 77
fi
mkdir -p "$folder"
cd "$folder"
if ! [ -d node_modules/playwright-core ]; then
	npm install --no-fund --no-audit --no-save playwright-core@1.64.0 \
		>npm.log 2>&1 || { cat npm.log && exit 77; }
fi
cp "$source"/tests/report/html/*.mjs .

"$xferspy" report "$source/examples/traces/stencil-512-pageable.xspy" \
	--counters "$source/examples/traces/stencil-512-counters.xspy" \
	--machine h200 --format html -o stencil.html
"$xferspy" report "$source/examples/traces/stencil-512-pageable.xspy" \
	--counters "$source/examples/traces/stencil-512-counters.xspy" \
	--machine h200 --format json -o stencil.json
"$xferspy" report "$source/examples/corpus/h100/develop/poly-3DCONV.xspy" \
	--machine h100 --format html -o unknown.html
steps=$source/examples/frameworks/h100
"$xferspy" report "$steps/to_device.xspy" --machine "$steps/machine.json" \
	>between.txt
"$xferspy" report "$steps/to_device.xspy" --machine "$steps/machine.json" \
	--format html -o between.html
set -- "$source/tests/analyzer/import/recorded/rounds-h200.sqlite.gz" --machine h200
"$xferspy" report "$@" --all >capture.txt
"$xferspy" report "$@" --format html -o capture.html
set -- "$source/examples/corpus/contact-2/second/poly-LU.xspy" --machine h100
"$xferspy" report "$@" --all >tracing.txt
"$xferspy" report "$@" --format html -o tracing.html
set -- "$source/tests/analyzer/import/recorded/kinds-h200.json.gz"
"$xferspy" report "$@" --all >kinds.txt
"$xferspy" report "$@" --format html -o kinds.html
set -- "$source/tests/analyzer/import/recorded/rounds.json.gz" --machine fitted
"$xferspy" report "$@" --all >fitted.txt
"$xferspy" report "$@" --format html -o fitted.html
"$xferspy" report "$source/tests/analyzer/import/recorded/put.json.gz" \
	--format html -o no-calls.html
# names that end a script, load something, reverse text
bad='<\/script><script>hacked=1<\/script><img src=x onerror=hacked=1>\xe2\x80\xae'
sed "s/text=\"app=/&$bad/; s/^string .*text=\"/&$bad/" \
	"$source/tests/report/traces/pageable.txt" >hostile.txt
sed "s/^string .*text=\"/&$bad/" "$source/tests/report/traces/nvtx.txt" >ranges.txt
"$xferspy" report ranges.txt --by-range --machine h200 --format html -o ranges.html
"$xferspy" report hostile.txt "$source/examples/frameworks/h100/kv_paging.xspy" \
	--each --format html -o hostile.html
set -- "$source/examples/traces/stencil-512-pageable.xspy" \
	"$source/examples/traces/stencil-512-streams.xspy" --machine h200 --fail-above 5
"$xferspy" diff "$@" >diff.txt
"$xferspy" diff "$@" --format json -o diff.json
"$xferspy" diff "$@" --format html -o diff.html
"$xferspy" diff ranges.txt hostile.txt --format html -o diff-hostile.html
# the round after without what tracing took of it
sed 's/bytes=8 /bytes=131072 /; s/^info text="host=.*/&\ninfo text="rank=3"\ninfo text="ranks=8"/' \
	"$source/tests/report/advice/decode.txt" >decode.txt
sed 's/dst_memory=1 /dst_memory=2 /' decode.txt >pinned.txt
"$xferspy" report decode.txt --machine h200 --format html -o traced.html
"$xferspy" diff decode.txt pinned.txt --machine h200 --format html -o diff-traced.html
# several runs: slower than the limit, but within the spread (exit code 4)
for ms in 80 81 83 84 85 88; do
	sed "/^header/s/end_realtime_ns=[0-9]*/end_realtime_ns=17673230450${ms}000000/" \
		"$source/tests/report/traces/pageable.txt" >"run$ms.txt"
done
"$xferspy" report --runs run80.txt run81.txt run84.txt --format json -o runs.json
"$xferspy" report --runs run80.txt run81.txt run84.txt --format html -o runs.html
set -- run80.txt run81.txt run84.txt --after run83.txt run85.txt run88.txt --fail-above 1
"$xferspy" diff "$@" >spread.txt || [ $? = 4 ]
"$xferspy" diff "$@" --format html -o spread.html || [ $? = 4 ]
# a job of five ranks, of which one is slow and one has no trace
for rank in 0 1 2 3; do
	[ $rank = 2 ] && ms=120 || ms=8$rank
	sed "s/^info text=\"host=.*/&\ninfo text=\"rank=$rank\"\ninfo text=\"ranks=5\"/
		/^header/s/end_realtime_ns=[0-9]*/end_realtime_ns=1767323045$(printf %03d $ms)000000/" \
		hostile.txt >rank$rank.txt
done
"$xferspy" report rank?.txt --machine h200 --format json -o job.json
"$xferspy" report rank?.txt --machine h200 --format html -o job.html
# that job, and the same without its slow rank
mkdir -p slow rest
for rank in 0 1 2 3; do
	cp rank$rank.txt slow/$rank.xspy
	[ $rank = 2 ] || cp rank$rank.txt rest/$rank.xspy
done
"$xferspy" diff slow rest --machine h200 --format json -o jobs.json
"$xferspy" diff slow rest --machine h200 --format html -o jobs.html
exec node browser.mjs "$browser"

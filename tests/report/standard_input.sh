#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces from standard input and from pipes.
# standard_input.sh XFERSPY SOURCES
. "$(dirname "$0")/expect.sh" || exit 1
# shellcheck disable=SC2034 # the lines of expect use it
imported=$source/tests/analyzer/import/recorded/rounds

# A trace may come from a file or a pipe.
expect 0 'heat (pid ' - 'xferspy report - <$before'
expect 0 'heat (pid ' - 'xferspy dump $before | xferspy report -'
expect 0 'as fast as before' - 'xferspy dump $before | xferspy diff $before -'
expect 0 'heat (pid ' - \
	'xferspy dump $before >named.txt; mkfifo -m 600 pipe;
		cat named.txt >pipe & xferspy report pipe; rm pipe'
expect 0 '
string part=0 id=' - 'xferspy dump - <$before'

# Its content says what it is.
expect 0 'heat (pid ' - 'xferspy dump --read $before -o - | xferspy report -'
expect 0 '"imported": "PyTorch' - 'cat $imported.json.gz | xferspy report - --format json'
expect 0 '"imported": "PyTorch' - 'zcat $imported.json.gz | xferspy report - --format json'
expect 0 '"imported": "Nsight Systems' - \
	'zcat $imported.sqlite.gz | xferspy report - --format json'

# A trace may be compressed.
# Its last bytes are missing in cut.xspy, and what is in it says so.
expect 0 '' - \
	'xferspy dump --read $before -o plain.xspy && gzip -9nc plain.xspy >zipped.xspy &&
		xferspy dump plain.xspy >plain.txt && xferspy dump zipped.xspy | cmp - plain.txt'
expect 0 'heat (pid ' - 'xferspy report - <zipped.xspy'
expect 0 'heat (pid ' - 'gzip -9c $before | xferspy report -'
expect 0 '"path": "packed/a.xspy.gz"' - \
	'mkdir packed && cp zipped.xspy packed/a.xspy.gz && xferspy report packed --format json;
		rm -r packed'
expect 2 ': the compressed file ends early; ' 'cut.xspy: the file is cut or damaged;' \
	'head -c -9 zipped.xspy >cut.xspy; xferspy dump cut.xspy'
expect 2 'the compressed file ends early' 'cut.xspy: the file is cut or damaged;' \
	'xferspy report cut.xspy'
expect 0 '' - 'ulimit -f 0; TMPDIR=/nowhere xferspy report zipped.xspy >/dev/null'
rm plain.xspy plain.txt cut.xspy

# Other bytes of a compressed trace are said.
# What is wrong with zipped.xspy, of which nothing is missing.
expect 2 ': bytes that are not compressed follow ' 'xferspy: -: the file is cut or damaged;' \
	'{ cat zipped.xspy; echo other; } | xferspy dump -'
expect 0 '' - \
	'{ cat zipped.xspy; head -c 9 /dev/zero; } | { ! xferspy dump - | grep damaged; }'
expect 2 ': the checksum of the compressed file is wrong; ' 'cut or damaged;' \
	'{ head -c -8 zipped.xspy; echo checksum; } | xferspy dump -'
rm zipped.xspy

# Digests may be compressed.
expect 0 '' - \
	'xferspy digest $before -o plain.digest; rm -rf packed && mkdir packed &&
		gzip -9nc plain.digest >packed/a.digest.gz &&
		xferspy merge plain.digest packed/a.digest.gz | cksum >both.txt && cat plain.digest |
		gzip | xferspy merge plain.digest - | cksum | cmp - both.txt'
expect 0 '"traces": 1,' - 'xferspy report packed --format json'
expect 2 '' 'it is a digest, not a trace' 'xferspy dump packed/a.digest.gz'
expect 2 '' 'xferspy: -: damaged, or no digest; ' \
	'gzip -c plain.digest | head -c 99 | xferspy merge -'
expect 0 '{"digest":4,' - 'xferspy merge packed'

# What is compressed may be no trace.
expect 2 '' 'xferspy: -: the compressed file is empty' 'gzip </dev/null | xferspy report -'
expect 2 '' 'xferspy: -: the compressed file ends early; ' \
	'gzip -9c $before | head -c 11 | xferspy report -'
expect 2 '' 'a digest in a pipe; give it as a file, or to xferspy merge' \
	'xferspy digest $before | xferspy report -'
expect 2 '' 'xferspy: -: compressed, and no trace' \
	'yes | gzip | timeout 60 xferspy report -'

# Other input is refused.
expect 2 '' 'from a terminal or a device' 'xferspy report - </dev/null'
expect 2 '' 'from a terminal or a device' 'xferspy report - <&-'
expect 2 '' 'xferspy: -: ' 'xferspy --version | xferspy report -'
expect 1 '' 'name the file' 'xferspy dump --resolve - <$before'
expect 2 '' 'xferspy: -: standard input is read already; give it once' \
	'cat $before | xferspy diff - -'
# what has no end, and would fill memory
expect 2 '' 'xferspy: -: ' 'yes | timeout 60 xferspy report -'
expect 2 '' 'xferspy: -: ' 'cat /dev/zero | timeout 60 xferspy dump -'
exit $failed

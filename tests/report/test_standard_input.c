/* SPDX-License-Identifier: MIT */
/* Traces from standard input and from pipes. */
#include "tests/report/program.h"
#include "tests/unit.h"

#define TRACE	 XS_SOURCE_DIR "/tests/report/traces/pageable.txt"
#define IMPORTED XS_SOURCE_DIR "/tests/analyzer/import/recorded/rounds"

TEST(a_trace_may_come_from_a_file_or_a_pipe)
{
	runs("report - <" TRACE, 0, "heat (pid ", NULL);
	runs("dump " TRACE " | " XS_COMMAND " report -", 0, "heat (pid ", NULL);
	runs("dump " TRACE " | " XS_COMMAND " diff " TRACE " -", 0,
	     "as fast as before", NULL);
	runs(
	    "dump " TRACE
	    " >named.txt; mkfifo -m 600 pipe; cat named.txt >pipe & " XS_COMMAND
	    " report pipe; rm pipe",
	    0, "heat (pid ", NULL);
	runs("dump - <" TRACE, 0, "\nstring part=0 id=", NULL);
}

TEST(its_content_says_what_it_is)
{
	runs("dump --read " TRACE " -o - | " XS_COMMAND " report -", 0,
	     "heat (pid ", NULL);
	runs("--version; cat " IMPORTED ".json.gz | " XS_COMMAND
	     " report - --format json",
	     0, "\"imported\": \"PyTorch", NULL);
	runs("--version; zcat " IMPORTED ".json.gz | " XS_COMMAND
	     " report - --format json",
	     0, "\"imported\": \"PyTorch", NULL);
	runs("--version; zcat " IMPORTED ".sqlite.gz | " XS_COMMAND
	     " report - --format json",
	     0, "\"imported\": \"Nsight Systems", NULL);
}

/* Its last bytes are missing in cut.xspy, and what is in it says so. */
TEST(a_trace_may_be_compressed)
{
	runs("dump --read " TRACE " -o plain.xspy && "
	     "gzip -9nc plain.xspy >zipped.xspy && " XS_COMMAND
	     " dump plain.xspy >plain.txt && " XS_COMMAND
	     " dump zipped.xspy | cmp - plain.txt",
	     0, NULL, NULL);
	runs("report - <zipped.xspy", 0, "heat (pid ", NULL);
	runs("--version; gzip -9c " TRACE " | " XS_COMMAND " report -", 0,
	     "heat (pid ", NULL);
	runs("--version; mkdir packed && cp zipped.xspy packed/a.xspy.gz "
	     "&& " XS_COMMAND " report packed --format json; rm -r packed",
	     0, "\"path\": \"packed/a.xspy.gz\"", NULL);
	runs("--version; head -c -9 zipped.xspy >cut.xspy; " XS_COMMAND
	     " dump cut.xspy | tail -1",
	     0, ": the compressed file ends early; ", NULL);
	runs("report cut.xspy", 0, "the compressed file ends early", NULL);
	runs("--version; TMPDIR=/nowhere " XS_COMMAND " report zipped.xspy", 0,
	     "heat (pid ", NULL);
	runs("--version; ulimit -f 1; " XS_COMMAND " dump - <zipped.xspy", 2,
	     NULL, "(File too large); ");
	runs("--version; rm plain.xspy plain.txt cut.xspy", 0, NULL, NULL);
}

/* What is wrong with zipped.xspy, of which nothing is missing. */
TEST(other_bytes_of_a_compressed_trace_are_said)
{
	runs("--version; { cat zipped.xspy; echo other; } | " XS_COMMAND
	     " dump - | tail -1",
	     0, ": bytes that are not compressed follow ", NULL);
	runs("--version; { cat zipped.xspy; head -c 9 /dev/zero; } | { "
	     "! " XS_COMMAND " dump - | grep damaged; }",
	     0, NULL, NULL);
	runs("--version; { head -c -8 zipped.xspy; echo checksum; } "
	     "| " XS_COMMAND " dump - | tail -1",
	     0, ": the checksum of the compressed file is wrong; ", NULL);
	runs("--version; rm zipped.xspy", 0, NULL, NULL);
}

TEST(digests_may_be_compressed)
{
	runs("digest " TRACE
	     " -o plain.digest; rm -rf packed && mkdir packed && "
	     "gzip -9nc plain.digest >packed/a.digest.gz && " XS_COMMAND
	     " merge plain.digest packed/a.digest.gz | cksum >both.txt && cat "
	     "plain.digest | gzip | " XS_COMMAND
	     " merge plain.digest - | cksum | cmp - both.txt",
	     0, NULL, NULL);
	runs("report packed --format json", 0, "\"traces\": 1,", NULL);
	runs("dump packed/a.digest.gz", 2, NULL, "it is a digest, not a trace");
	runs("--version; gzip -c plain.digest | head -c 99 | " XS_COMMAND
	     " merge -",
	     2, NULL, "xferspy: -: damaged, or no digest; ");
	runs("merge packed", 0, "{\"digest\":3,", NULL);
	runs("--version; rm -r plain.digest both.txt packed", 0, NULL, NULL);
}

TEST(what_is_compressed_may_be_no_trace)
{
	runs("--version; gzip </dev/null | " XS_COMMAND " report -", 2, NULL,
	     "xferspy: -: the compressed file is empty");
	runs("--version; gzip -9c " TRACE " | head -c 11 | " XS_COMMAND
	     " report -",
	     2, NULL, "xferspy: -: the compressed file ends early; ");
	runs("digest " TRACE " | " XS_COMMAND " report -", 2, NULL,
	     "a digest in a pipe; give it as a file, or to xferspy merge");
	runs("--version; yes | gzip | timeout 60 " XS_COMMAND " report -", 2,
	     NULL, "xferspy: -: compressed, and no trace");
}

TEST(other_input_is_refused)
{
	runs("report - </dev/null", 2, NULL, "from a terminal or a device");
	runs("report - <&-", 2, NULL, "from a terminal or a device");
	runs("--version | " XS_COMMAND " report -", 2, NULL, "xferspy: -: ");
	runs("dump --resolve - <" TRACE, 1, NULL, "name the file");
	runs("--version; cat " TRACE " | " XS_COMMAND " diff - -", 2, NULL,
	     "xferspy: -: standard input is read already; give it once");
	/* what has no end, and would fill $TMPDIR */
	runs("--version; yes | timeout 60 " XS_COMMAND " report -", 2, NULL,
	     "xferspy: -: ");
	runs("--version; cat /dev/zero | timeout 60 " XS_COMMAND " dump -", 2,
	     NULL, "xferspy: -: ");
}

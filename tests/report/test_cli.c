/* SPDX-License-Identifier: MIT */
/* The command's exit codes, errors and files. */
#include "tests/report/program.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define TRACES XS_SOURCE_DIR "/tests/report/traces/"
#define BEFORE TRACES "pageable.txt"
#define PINNED TRACES "pinned.txt"
#define SLOWER TRACES "slower.txt"

TEST(help_comes_from_the_table)
{
	static const char *const commands[] = {
	    "run", "report", "diff", "calibrate", "model", "dump", "export"};
	char line[64];

	runs("--version", 0, "xferspy ", NULL);
	runs("-V", 0, "xferspy ", NULL);
	runs("version", 0, "xferspy ", NULL);
	runs("", 1, NULL, "Usage: xferspy COMMAND");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		runs("--help", 0, commands[i], NULL);
		snprintf(line, sizeof(line), "%s --help", commands[i]);
		runs(line, 0, "Usage: xferspy", NULL);
		snprintf(line, sizeof(line), "help %s", commands[i]);
		runs(line, 0, "Usage: xferspy", NULL);
	}
}

/* "xferspy: what: why; what to do" */
TEST(wrong_use_exits_with_1)
{
	static const struct {
		const char *arguments, *err;
	} wrong[] = {
	    {"frobnicate", "xferspy: frobnicate: no such command; see"},
	    {"help frobnicate", "no such command"},
	    {"report", "xferspy: report: no trace was given; name the file"},
	    {"report --frob", "xferspy: --frob: unknown option; see"},
	    {"report x --format", "--format: the option needs a value;"},
	    {"report x -o", "xferspy: -o: the option needs a value;"},
	    {"report x -z", "xferspy: -z: unknown option; see xferspy report"},
	    {"calibrate --device two", "two: not a device number"},
	    {"dump --read=yes x", "--read=yes: unknown option"},
	    {"report x --format xml", "xferspy: xml: unknown format; use one "
				      "of: text, json, html, csv, dot"},
	    {"report x --streams none", "not a number of streams"},
	    {"report x --machine h200 --machine k20m --machine k20m",
	     "k20m: two profiles have this name; change"},
	    {"diff x", "it takes one trace before and one after; put --after"},
	    {"diff x y z", "one trace before and one after; put --after"},
	    {"diff x --after", "--after: it is between the runs before and"},
	    {"diff --after x", "name one trace or more on both sides"},
	    {"diff x --after y --after z", "it is between the runs before"},
	    {"diff x y --format csv", "use one of: text, json"},
	    {"diff x y --fail-above much",
	     "--fail-above: much is not a number"},
	    {"diff x y --fail-above=-5", "--fail-above: -5 is negative; give"},
	    {"model --kernel-ms -3", "--kernel-ms: -3 is negative; give"},
	    {"model --kernel-ms -x", "--kernel-ms: -x is not a number; give"},
	    {"dump", "exactly one file"},
	    {"dump --read x", "name it with -o TRACE"},
	    {"dump --resolve --read x -o y", "cannot be combined with --read"},
	    {"run", "no command was given"},
	    {"run --frob true", "unknown option"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		runs(wrong[i].arguments, 1, NULL, wrong[i].err);
}

/* Upper and lower case do not matter. */
TEST(a_typing_error_is_recognised)
{
	runs("reprot", 1, NULL, "did you mean xferspy report?");
	runs("DIFF a b", 1, NULL, "did you mean xferspy diff?");
	runs("--verion", 1, NULL, "did you mean xferspy --version?");
	runs("help calibrat", 1, NULL, "did you mean xferspy calibrate?");
	runs("report x --formt json", 1, NULL, "did you mean --format?");
	runs("diff x y --Fail-above=5", 1, NULL, "did you mean --fail-above?");
	runs("report " BEFORE " --machine H200", 2, NULL,
	     "xferspy: H200: no such machine profile; did you mean h200?");
	runs("report " BEFORE " --machine gtx680", 2, NULL,
	     "did you mean gtx-680? --machine list prints the names");
	runs("model --machine k20", 1, NULL, "it is missing");
	runs("report " BEFORE " --machine nosuch", 2, NULL,
	     "--machine list prints the names");
}

/* "xferspy TRACE" */
TEST(a_file_is_not_a_command)
{
	runs(BEFORE, 2, NULL, "to read a trace: xferspy report " BEFORE);
	runs("gone.xspy", 2, NULL, "to read a trace: xferspy report gone.xspy");
	runs("/bin/sh", 2, NULL, "to trace a program: xferspy run /bin/sh");
	runs("/", 1, NULL, "no such command");
}

/* Traces that can be read are reported; the exit code tells of the others. */
TEST(one_missing_trace_does_not_stop_the_others)
{
	runs("report --each " BEFORE " gone.xspy " PINNED, 2,
	     "== " TRACES "pinned.txt ==", "xferspy: gone.xspy: ");
	runs("report --each gone.xspy " BEFORE, 2,
	     "== " TRACES "pageable.txt ==",
	     "1 of 2 traces: it could not be read; the report is about");
	runs("report --each " BEFORE " gone.xspy --format json", 2, "[\n",
	     "gone");
	runs("report --each gone.xspy " BEFORE " --format csv", 2,
	     "trace,phase,rounds,", "gone");
	runs("report gone.xspy " XS_SOURCE_DIR "/LICENSE", 2, NULL,
	     "2 of 2 traces: they could not be read; there is no report");
}

TEST(machine_list_names_the_profiles)
{
	static const char *const commands[] = {"report", "diff", "model",
					       "digest"};
	char line[64];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		snprintf(line, sizeof(line), "%s --machine list", commands[i]);
		runs(line, 0, "h200          NVIDIA H200\n", NULL);
		runs(line, 0, "gtx-titan", NULL);
	}
}

TEST(unreadable_input_exits_with_2)
{
	runs("report /nowhere/trace", 2, NULL, "xferspy: /nowhere/trace: ");
	runs("report " XS_SOURCE_DIR "/LICENSE", 2, NULL, "LICENSE: ");
	runs("report " BEFORE " --machine nosuch", 2, NULL, "nosuch");
	runs("dump /nowhere/trace", 2, NULL, "/nowhere/trace: ");
	runs("report /dev/null", 2, NULL, "from a terminal or a device; give");
	runs("report " BEFORE " -o /nowhere/out", 2, NULL,
	     "/nowhere/out: No such file or directory; give -o");
	runs("diff " BEFORE " /nowhere/trace", 2, NULL, "/nowhere/trace");
}

TEST(a_full_disk_is_an_error)
{
	runs("report " BEFORE " -o /dev/full", 2, NULL,
	     "/dev/full: No space left on device; check");
	runs("report " BEFORE " >/dev/full", 2, NULL,
	     "output: No space left on device; check");
	runs("--help >/dev/full", 2, NULL, "xferspy: output: No space left");
	runs("report --help >/dev/full", 2, NULL, "output: No space left");
	runs("report --machine list >/dev/full", 2, NULL,
	     "output: No space left");
	runs("dump " BEFORE " -o /dev/full", 2, NULL,
	     "/dev/full: No space left on device; check");
}

/* Opening the output truncates it, so it must not be an input. */
TEST(an_input_is_never_the_output)
{
	runs("dump " BEFORE " -o own.txt", 0, NULL, NULL);
	runs("dump own.txt -o ./own.txt", 1, NULL, "it is also an input");
	runs("dump --read own.txt -o own.txt", 1, NULL, "also an input");
	runs("report " BEFORE " own.txt -o own.txt", 1, NULL, "also an input");
	runs("diff " BEFORE " own.txt -o own.txt", 1, NULL, "also an input");
	runs("report - -o own.txt <own.txt", 1, NULL, "also an input");
	runs("report own.txt", 0, "Where the time went", NULL);
	runs("--version && cp " XS_SOURCE_DIR
	     "/tests/report/machine.json own.json && " XS_COMMAND
	     " report " BEFORE " --machine ./own.json -o own.json",
	     1, NULL, "also an input");
	runs("diff " BEFORE " " PINNED " --machine ./own.json -o own.json", 1,
	     NULL, "also an input");
}

/* Control characters of a trace do not reach the terminal. */
TEST(a_trace_does_not_write_to_the_terminal)
{
	runs("dump " BEFORE
	     " | sed 's/heat\"/\\x1b[31mheat\"/' >escape.txt; " XS_COMMAND
	     " report escape.txt",
	     0, "?[31mheat (pid ", NULL);
}

TEST(a_report_has_its_parts)
{
	runs("report " BEFORE, 0, "Where the time went", NULL);
	runs("report " BEFORE, 0, "profile h200 (shipped): the trace", NULL);
	runs("report " BEFORE " --machine fitted", 0,
	     "profile fitted from the trace", NULL);
	runs("report " BEFORE " --machine k20m", 0, "profile k20m", NULL);
	runs("report " BEFORE " --atgpu", 0, "ATGPU  Carroll and Wong 2017",
	     NULL);
	runs("report " BEFORE " --machine fitted --machine gtx-titan", 0,
	     "unchanged on gtx-titan: the run takes", NULL);
	runs("report " BEFORE " --machine fitted --machine gtx-280", 0,
	     "unchanged on gtx-280: not predicted", NULL);
	runs("report " PINNED
	     " --machine h200 --machine gtx-titan --format json",
	     0, "\"strategy\": \"machine:gtx-titan\"", NULL);
	runs("report --each " BEFORE " " PINNED, 0,
	     "== " TRACES "pinned.txt ==", NULL);
	runs("report " BEFORE " --format json", 0, "\"schema\": 1", NULL);
	runs("report " BEFORE " --format csv", 0, "trace,phase,rounds,", NULL);
	runs("report " BEFORE " --streams 7 --format csv", 0,
	     "streams,7,depth,replay,", NULL);
}

TEST(pipes_have_no_colour)
{
	struct program program = program_run("report " BEFORE);

	assert_null(strchr(program.out, '\033'));
	program_free(&program);
}

TEST(a_gate_exits_with_3)
{
	runs("diff " BEFORE " " PINNED " --fail-above 5", 0,
	     "The limit of 5 % (--fail-above) is kept", NULL);
	runs("diff " BEFORE " " SLOWER " --fail-above 5", 3, "exceeded",
	     "xferspy: --fail-above: the run is");
	runs("diff " BEFORE " " SLOWER " --fail-above 50", 0, "is kept", NULL);
	runs("diff " BEFORE " " SLOWER, 0, "slower", NULL);
}

/* One report on a job, from traces, digests, and both. */
TEST(traces_of_a_job_have_one_report)
{
	runs("report " BEFORE " " PINNED, 0,
	     "heat  2 traces on 1 host, machine: h200\n", NULL);
	runs("report " BEFORE " gone.xspy " PINNED " " BEFORE, 2,
	     "! 1 trace not read: gone.xspy\n"
	     "! 1 trace given twice, counted once:",
	     "1 of 4 traces: it could not be read; the report is about");
	runs("report gone.xspy " BEFORE " --format json", 2,
	     "\"what\": \"unreadable\"", "gone");
	runs("report " BEFORE " " PINNED " --format csv", 0,
	     "condition,at_most,assumes,ranks,ranks_seen,missing\nheat,pinned,"
	     "\"heat.cu:88, "
	     "heat.cu:91\",1,",
	     NULL);
	runs("report " BEFORE " " PINNED " --format dot", 1, NULL,
	     "this format is of single traces; add --each");
	runs("report " BEFORE " " PINNED " --streams 4", 1, NULL,
	     "--streams: this option is of single traces; add --each");
	runs("digest " BEFORE " -o a.digest && " XS_COMMAND " digest " PINNED
	     " >b.digest && " XS_COMMAND
	     " merge a.digest b.digest gone.digest -o c.digest",
	     2, NULL, "gone.digest: No such file");
	runs("report c.digest", 2,
	     "! 1 trace not read: gone.digest\n\nWhat to change", NULL);
	runs("merge gone.digest -o c.digest", 2, NULL,
	     "gone.digest: No such file");
	runs("report c.digest", 2, "! 1 trace not read: gone.digest", NULL);
	runs("merge b.digest a.digest >d.digest; " XS_COMMAND
	     " merge a.digest b.digest | cmp - d.digest && " XS_COMMAND
	     " report d.digest a.digest",
	     0, "! 1 trace given twice, counted once: a.digest", NULL);
	runs(
	    "--version; mkdir -p job && cp a.digest b.digest job && " XS_COMMAND
	    " report job",
	    0, "heat  2 traces on 1 host, machine: h200\n", NULL);
	runs("--version; mkdir -p none; " XS_COMMAND " report none", 2, NULL,
	     "none: no trace and no digest is there; name a folder");
}

TEST(what_may_block_in_a_folder_is_left_out)
{
	/* .N: of another process that would write the same file */
	runs("--version; mkdir -p special && cp a.digest b.digest special && "
	     "gzip -c " BEFORE
	     " >special/a.xspy.12.gz; mkfifo special/c.digest; "
	     "timeout 20 " XS_COMMAND " report special",
	     0, "! 1 trace given twice, counted once: special/a.xspy.12.gz",
	     "special/c.digest: it is no regular file; it is left out");
}

/* A digest beside its trace, and a merged one beside the traces that are in it,
 * count once; what was merged twice cannot be undone. */
TEST(a_folder_has_traces_and_digests)
{
	runs("--version; mkdir -p both && cp " BEFORE " both/a.txt && "
	     "cp a.digest b.digest d.digest both && mv both/a.txt "
	     "both/a.xspy && " XS_COMMAND " report both",
	     0,
	     "! 3 traces given twice, counted once: both/a.digest, "
	     "both/a.xspy, both/b.digest\n",
	     NULL);
	runs("merge both -o f.digest && " XS_COMMAND
	     " merge a.digest both/a.digest d.digest both/d.digest -o "
	     "g.digest && rm both/*.digest && " XS_COMMAND " merge both",
	     2, NULL, "both: no digest is there;");
	/* of a cut trace, too; in any order */
	runs("dump --read " BEFORE " -o whole && head -c 4500 whole "
	     ">both/b.xspy; " XS_COMMAND
	     " digest both/b.xspy -o b2.digest; " XS_COMMAND
	     " report both b2.digest >one; " XS_COMMAND
	     " report b2.digest both >two; cmp one two && cat one",
	     0, "! 1 trace of a damaged file, in no figure: b.xspy", NULL);
	runs("merge a.digest a.digest -o twice && " XS_COMMAND " report twice",
	     0, "! 1 trace in several of the merged digests", NULL);
	runs("--version; sed s/:1}/:9}/ a.digest >bad; " XS_COMMAND
	     " merge bad",
	     2, NULL, "bad: damaged, or no digest;");
	runs("--version; printf '{\"digest\":3,\"crc32\":\"a3a6bf43\",' "
	     ">bad; printf '\"group\":{}}' >>bad; " XS_COMMAND " merge bad",
	     2, NULL, "bad: it is of no trace; it is left out");
}

/* Two jobs, of folders and of digests that were written before. */
TEST(two_jobs_are_compared)
{
	runs("diff job b.digest", 0,
	     "heat  2 -> 1 processes\n\nVerdict: The slowest process takes "
	     "77.7 ms -> 27.3 ms, 64.8 % faster;",
	     NULL);
	runs("diff a.digest job --format json", 0, "\"job_diff\": {", NULL);
	runs("diff a.digest job -o a.digest", 1, NULL, "it is also an input");
	runs("diff a.digest none", 2, NULL, "none: no trace and no digest");
	runs("diff a.digest gone", 2, NULL, "gone: No such file");
	runs("diff a.digest --after b.digest gone", 2, NULL,
	     "gone: No such file");
	runs("diff a.digest - <b.digest", 1, NULL,
	     "a job is compared with one other job");
	runs("--version; (echo; cat a.digest) >line.digest; " XS_COMMAND
	     " report line.digest",
	     2, NULL, "damaged, or no digest;");
	runs("merge line.digest", 2, NULL, "damaged, or no digest;");
	runs("--version; mkdir -p junk && echo junk >junk/x.digest; " XS_COMMAND
	     " diff junk a.digest",
	     2, NULL, "damaged, or no digest;");
	runs("diff a.digest job --machine h200", 1, NULL,
	     "a digest has the machine with which it was made");
	runs("report a.digest --machine h200", 1, NULL,
	     "a digest has the machine with which it was made");
	runs("merge - b.digest <a.digest >e.digest; cmp d.digest e.digest", 0,
	     "", NULL);
	runs("diff a.digest b.digest --format html", 0, "<!DOCTYPE html>",
	     NULL);
	runs("diff job " BEFORE, 1, NULL,
	     "a job is compared with one other job");
	runs("diff job --after a.digest b.digest", 1, NULL,
	     "a job is compared with one other job");
	runs("diff job job --fail-above 5 | grep -o 'The limit of.*'", 0,
	     "The limit of 5 %", NULL);
	runs("diff job job --fail-above 5", 0, NULL, "");
	runs("diff b.digest a.digest --fail-above 5", 3, NULL,
	     "the slowest and the median process are slower than that");
	runs("diff a.digest d.digest --fail-above 5", 2, NULL,
	     "the jobs have figures of different numbers of processes; "
	     "give jobs of whole traces, or, if ranks differ, add "
	     "--allow-different");
}

/* A digest is no trace, and only a whole number is a number. */
TEST(what_is_no_trace_and_no_rank_is_told)
{
	static const char *const others[] = {
	    "report --each a.digest",
	    "report --runs a.digest a.digest",
	    "dump a.digest",
	    "dump --resolve a.digest",
	    "export a.digest --to perfetto -o out",
	    "report " BEFORE " --counters a.digest"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		runs(others[i], 2, NULL,
		     "a.digest: it is a digest, not a trace; give it to "
		     "xferspy report, without --each");
	runs("--version; for n in 2 2x; do sed \"s/.*host=node7.*/&\\ninfo "
	     "text=\\\"ranks=$n\\\"\\ninfo text=\\\"rank=1\\\"/\" " BEFORE
	     " >ranks.txt; " XS_COMMAND
	     " report ranks.txt --format json | grep -A1 '\"rank\"'; done",
	     0,
	     "    \"rank\": 1,\n    \"ranks\": 2,\n"
	     "    \"rank\": null,\n    \"ranks\": null,\n",
	     NULL);
}

/* sed writes pageable.txt as runs that take 80, 81, ... ms. */
#define RUN(ms)                                                                \
	"sed "                                                                 \
	"'/^header/s/end_realtime_ns=[0-9]*/end_realtime_ns=17673230450" #ms   \
	"000000/' " BEFORE " >run" #ms ".txt; "
#define RUNS                                                                   \
	"--version >/dev/null; " RUN(80) RUN(81) RUN(84) RUN(83) RUN(85)       \
	    RUN(88) XS_COMMAND " "

TEST(several_runs_have_a_spread)
{
	runs(RUNS "report --runs run84.txt run80.txt run81.txt", 0,
	     "Runs  3 of one program; the report is of the median one\n"
	     "  run81.txt\n",
	     NULL);
	runs(RUNS "report --runs run80.txt gone " PINNED, 2,
	     "Runs  2 of one program", "gone: ");
	runs(RUNS "report --runs run80.txt gone --format json", 2,
	     "\"count\": 1", "gone: ");
	/* one has none */
	runs(RUNS "report --runs run80.txt gone", 2,
	     "\n  run               80.0 ms    80.0 ms   80.0 ms       -\n",
	     "gone: ");
	runs(RUNS "report --runs gone", 2, NULL, "gone: ");
	runs(RUNS "report --runs run80.txt run81.txt --format csv", 1, NULL,
	     "--runs: this format does not show it; use --format text");
	runs("report --by-range --format csv run80.txt", 1, NULL,
	     "--by-range: this format does not show it; use --format text");
	runs("report --dataflow --format csv run80.txt", 1, NULL,
	     "--dataflow: this format does not show it; use --format text");
	runs("report --dataflow --format html run80.txt", 1, NULL,
	     "--dataflow: this format does not show it; use --format text");
	runs(RUNS "diff run80.txt run81.txt run84.txt --after run83.txt "
		  "run85.txt run88.txt --fail-above 1",
	     4, "4.9 % slower\nThe medians lie in",
	     "--fail-above: the runs spread too much to tell; record more");
	runs(RUNS "diff run80.txt run81.txt --after run84.txt run85.txt "
		  "--fail-above 1",
	     3, "beyond the spread of the runs.\nThe limit of 1 %", "slower");
	runs(RUNS "diff run80.txt run81.txt --after run80.txt run84.txt "
		  "--fail-above 4 --format json",
	     4, "\"answer\": \"too noisy\",\n    \"passed\": null",
	     "too much to tell");
	runs(RUNS "diff --fail-above 1 run81.txt run84.txt", 3, "exceeded",
	     "3.7 % slower");
}

/* sed writes pinned.txt as another program, GPU or driver. */
#define OTHER(edit, name)                                                      \
	"report --machine list >/dev/null; sed '" edit "' " PINNED " >" name   \
	"; " XS_COMMAND " diff " BEFORE " " name

TEST(a_gate_compares_like_with_like)
{
	runs(OTHER("s|app/heat|app/solve --n 5|", "app.txt"), 0,
	     "! these are different programs: heat before, solve after", NULL);
	runs("diff " BEFORE " app.txt --fail-above 5", 3,
	     "is meant for one program on one GPU",
	     "--fail-above: these are different programs: heat before, solve "
	     "after; compare two");
	runs("diff " BEFORE " app.txt --fail-above 5 --format json", 3,
	     "\"passed\": false", "different programs");
	runs("diff " BEFORE " app.txt --fail-above 5 --allow-different", 0,
	     "is kept", NULL);
	runs(OTHER("s|NVIDIA H200|NVIDIA L4|", "gpu.txt") " --fail-above 5", 3,
	     "different GPUs: NVIDIA H200 before, NVIDIA L4 after",
	     "different GPUs");
	runs(OTHER("s|driver=580|driver=570|", "driver.txt") " --fail-above 5",
	     0, "! the driver's versions differ: 580.82.07 before, 570.82.07",
	     NULL);
	/* in another folder, with other arguments */
	runs(OTHER("s|/home/user/app/heat|../heat --pinned|",
		   "folder.txt") " --fail-above 5 --format json",
	     0, "\"different\": false", NULL);
}

TEST(a_gate_needs_run_times)
{
	/* a header alone, of a process that was killed */
	runs(OTHER("1p; /^header/!d; s/ flush.*//; s/ state=1/ state=0/",
		   "empty.txt") " --fail-above 5",
	     2, "The run times are unknown.",
	     "the run times are unknown; one trace has no timed run; see its "
	     "report");
	runs("diff empty.txt " BEFORE " --fail-above 5 --format json", 2,
	     "\"passed\": null", "the run times are unknown");
	runs(OTHER("/^header/s/ state=1/ state=0/",
		   "killed.txt") " --fail-above 5",
	     2,
	     "! after: killed.txt: the process was killed or is still running",
	     "after: killed.txt: the process was killed or is still running; "
	     "give traces of whole runs by one tool");
	runs("report --runs " BEFORE " killed.txt", 0,
	     "! killed.txt: the process was killed", NULL);
}

TEST(python_programs_are_their_scripts)
{
	runs(OTHER("s|/home/user/app/heat|python3 -u a/train.py --n 5|",
		   "train.txt"),
	     0, "different programs: heat before, train.py after", NULL);
	runs("diff train.txt train.txt", 0, "as fast as before", NULL);
	runs("dump train.txt | sed 's|python3 -u a/train|python b/test|' "
	     ">test.txt; " XS_COMMAND " diff train.txt test.txt",
	     0, "different programs: train.py before, test.py after", NULL);
	runs("dump train.txt | sed 's|python3 -u a/train|python -X dev -W "
	     "ignore b/test|' >test.txt; " XS_COMMAND
	     " diff train.txt test.txt",
	     0, "different programs: train.py before, test.py after", NULL);
}

TEST(a_diff_scores_the_prediction)
{
	runs("diff " BEFORE " " PINNED, 0, "predicted for pinned: ", NULL);
	runs("diff " BEFORE " " PINNED, 0, "source memory pageable -> pinned",
	     NULL);
}

/* Text to trace to text: the second text equals the first. */
TEST(a_dump_reads_back)
{
	runs("dump --read " BEFORE " -o cli-1.xspy", 0, NULL, NULL);
	runs("dump cli-1.xspy -o cli-1.txt", 0, NULL, NULL);
	runs("dump --read - -o cli-2.xspy <cli-1.txt && cmp cli-1.xspy "
	     "cli-2.xspy",
	     0, NULL, NULL);
	runs("report cli-2.xspy", 0, "Where the time went", NULL);
	runs("dump --read " XS_SOURCE_DIR "/LICENSE -o cli-3.xspy", 2, NULL,
	     "xferspy: " XS_SOURCE_DIR "/LICENSE: line 1: ");
}

/* What was there stays until the output is complete; a link stays one. */
TEST(a_file_is_replaced_when_it_is_complete)
{
	runs("dump " BEFORE " -o stays && " XS_COMMAND " report " BEFORE
	     " -o stays",
	     2, NULL, "stays: a file of another kind is there; give -o ");
	runs("--version; grep -l 'Where the time' stays.*.part; rm stays*", 0,
	     "stays.", NULL);
	runs("report " BEFORE " --format json -o stays && " XS_COMMAND
	     " report --each " BEFORE " " PINNED
	     " --format json -o stays && " XS_COMMAND " diff " BEFORE " " PINNED
	     " --format json -o stays",
	     0, NULL, NULL);
	runs("--version; cp " XS_SOURCE_DIR "/examples/machines/h200.json stays"
	     " && " XS_COMMAND " report " BEFORE " --format json -o stays",
	     2, NULL, "a file of another kind is there");
	runs("--version; rm stays*", 0, NULL, NULL);
	runs("--version; rm -f whole link && " XS_COMMAND " dump " BEFORE
	     " -o whole && ln -sf whole link && chmod 640 "
	     "whole && cp whole same",
	     0, NULL, NULL);
	runs("dump --read " XS_SOURCE_DIR "/LICENSE -o link", 2, NULL,
	     "LICENSE: line 1: ");
	runs("report " XS_SOURCE_DIR "/LICENSE -o link", 2, NULL, "LICENSE: ");
	runs("dump " XS_SOURCE_DIR "/LICENSE -o link", 2, NULL, "LICENSE: ");
	runs("--version && cmp whole same && ! ls | grep part", 0, NULL, NULL);
	runs("dump " BEFORE " -o link && test -L link && grep -q xferspy-text "
	     "whole && ls -l whole",
	     0, "-rw-r-----", NULL);
}

/* With standard descriptors closed, the output is not one of them. */
TEST(messages_do_not_go_into_the_output)
{
	runs("--help >&-", 2, NULL, "xferspy: output: Bad file descriptor; ");
	runs("report - <&-", 2, NULL,
	     "xferspy: -: a trace cannot be read from");
	runs("report " BEFORE " >&-", 2, NULL, "output: Bad file descriptor");
	runs("report " BEFORE " -o /dev/null >&-", 0, "", NULL);
	runs("report --each /nowhere/x " BEFORE
	     " -o own 2>&-; ! grep nowhere own",
	     0, NULL, NULL);
	runs("report - -o own <&- || cat own", 0, "", NULL);
}

/* A file that cannot be replaced stays, too, until its input is read. Nothing
 * is left of the output in $TMPDIR. */
TEST(a_file_that_stays_is_written_last)
{
	runs("--version && mkdir folder && echo "
	     "old >first && ln first second",
	     0, NULL, NULL);
	runs("dump " XS_SOURCE_DIR "/LICENSE -o first", 2, NULL, "LICENSE: ");
	runs("--version && (TMPDIR=$PWD/folder " XS_COMMAND
	     " report /nowhere/x -o first; cat second; ls folder)",
	     0, "old", "/nowhere/x");
	/* a folder that cannot be written, by another user than root, who may
	 * not see where the tests run */
	if (getuid() == 0 && system("setpriv --version >others") != 0) {
		print_message(
		    "no folder that root cannot write: there is no setpriv\n");
		return;
	}
	runs("--version && cp " XS_COMMAND
	     " folder/copy && cd folder && echo old >own && chmod 666 own && "
	     "mkdir -m 1777 tmp && chmod 555 . && export TMPDIR=tmp && if test "
	     "$(id -u) = 0; then as='setpriv --reuid 1 --clear-groups'; fi && "
	     "($as ./copy dump /nowhere/x -o own; cat own; chmod 755 .)",
	     0, "old", "xferspy: /nowhere/x: No such file or directory; ");
}

/* A control list stays with the file: it would have to be copied. */
TEST(extended_attributes_stay)
{
	FILE *file = fopen("attributes", "w");

	assert_non_null(file);
	fclose(file);
	if (setxattr("attributes", "user.note", "1", 1, 0) != 0)
		skip();
	runs("dump " BEFORE " -o attributes", 0, NULL, NULL);
	assert_int_equal(getxattr("attributes", "user.note", NULL, 0), 1);
	runs("--version && rm attributes", 0, NULL, NULL);
}

/* SQLite would apply the log to the new file. */
TEST(a_log_beside_a_link_s_target_is_seen)
{
	runs("--version && mkdir logged && echo old "
	     ">logged/db && echo >logged/db-wal && ln -sf logged/db link",
	     0, NULL, NULL);
	runs("export --to sqlite " BEFORE " -o link", 2, NULL,
	     "link: a log of an earlier database is beside it");
	runs("--version && cat logged/db", 0, "old", NULL);
}

/* Their owners, names and positions stay. */
TEST(what_is_more_than_a_file_is_written_itself)
{
	runs("--version; rm -f first second dangling target", 0, NULL, NULL);
	runs("--version && : >first && ln first second && " XS_COMMAND
	     " dump " BEFORE " -o first && grep -q xferspy-text second",
	     0, NULL, NULL);
	runs("--version && ln -s target dangling && " XS_COMMAND " dump " BEFORE
	     " -o dangling && test -L dangling && grep -q xferspy-text target",
	     0, NULL, NULL);
	runs("--version && (" XS_COMMAND " dump " BEFORE
	     " -o /dev/stdout; echo last) >target && grep -q xferspy-text "
	     "target && tail -n 1 target",
	     0, "last", NULL);
	runs("--version && (rm target; " XS_COMMAND " dump " BEFORE
	     " -o /dev/stdout) >target && ls target /dev/stdout*",
	     2, "/dev/stdout\n", "target");
	runs("--version && " XS_COMMAND " dump " BEFORE
	     " -o /dev/fd/3 3>target && grep -q xferspy-text target",
	     0, NULL, NULL);
	/* what /proc says of an open file is no name, or another's */
	runs("--version && (rm -f gone odd; exec 3>gone; ln gone other; rm "
	     "gone; echo old >'gone (deleted)'; ln -s /proc/self/fd/3 "
	     "odd; " XS_COMMAND " dump " BEFORE
	     " -o odd; grep -q xferspy-text other && test -L odd && cat 'gone "
	     "(deleted)'; rm other odd; ls gone*; rm gone*)",
	     0, "old\ngone (deleted)\n", NULL);
	runs("--version && ln -s /proc/self/fd/1 odd && " XS_COMMAND
	     " dump " BEFORE " -o odd >target && " XS_COMMAND " dump " BEFORE
	     " -o odd | cmp - target && test -L odd",
	     0, NULL, NULL);
	runs("--version && (rm target; " XS_COMMAND " dump " BEFORE
	     " -o odd) >target && test -L odd && rm odd && >target",
	     0, NULL, NULL);
	/* which root alone can give */
	runs(
	    "--version; test $(id -u) != 0 || { chown 1:1 target && " XS_COMMAND
	    " dump " BEFORE " -o target && test $(stat -c %u target) = 1; }",
	    0, NULL, NULL);
}

/* --resolve never changes its input, and leaves nothing half written. */
TEST(resolving_writes_another_file)
{
	runs("dump --read " BEFORE
	     " -o own.xspy && chmod 444 own.xspy && cp own.xspy same.xspy",
	     0, NULL, NULL);
	runs("dump --resolve own.xspy", 0, "own.resolved.xspy\n", NULL);
	runs("dump --resolve own.xspy -o lines && cmp own.xspy same.xspy", 0,
	     "lines\n", NULL);
	runs("report --each lines own.resolved.xspy", 0,
	     "== own.resolved.xspy ==", NULL);
	runs("dump --resolve own.xspy -o own.xspy", 1, NULL,
	     "it is also an input");
	runs("--version && (umask 77; rm -f own; " XS_COMMAND
	     " dump --resolve own.xspy -o own && ls -l own)",
	     0, "-rw-------", NULL);
	runs("--version && mkfifo -m 666 pipe && (cat pipe >lines & " XS_COMMAND
	     " dump --resolve own.xspy -o pipe; ls -l pipe; rm pipe)",
	     0, "prw-rw-rw-", NULL);
	runs("--version; echo text >words; " XS_COMMAND
	     " dump --resolve own.xspy -o words",
	     2, NULL, "words: a file of another kind is there; give -o ");
	runs("dump --resolve own.xspy -o /nowhere/x", 2, NULL,
	     "xferspy: /nowhere/x: No such file or directory; give -o");
	runs("dump --resolve " XS_SOURCE_DIR "/LICENSE -o bad.xspy", 2, NULL,
	     "LICENSE: ");
	runs("--version && ls bad.xspy* own.xspy.* lines.*", 2, NULL,
	     "No such file");
	runs("--version; rm -f own.xspy same.xspy lines own.resolved.xspy", 0,
	     NULL, NULL);
}

TEST(run_passes_the_exit_code_on)
{
	struct program program = program_run("run -- sh -c 'exit 7'");

	/* without the library, which needs CUDA's headers, it reports an error
	 */
	if (program.code == 2)
		assert_has(program.err, "libxferspy.so");
	else
		assert_int_equal(program.code, 7);
	program_free(&program);
	program = program_run("run /nowhere/program");
	assert_true(program.code == 2 || program.code == 127);
	assert_has(program.err, "xferspy: ");
	program_free(&program);
}

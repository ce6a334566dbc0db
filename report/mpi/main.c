/* SPDX-License-Identifier: MIT */
/*
 * xferspy-mpi: the digest of all traces of a folder, made by many processes.
 * Each reads its share of the traces; MPI_Reduce merges what they made.
 */
#include "analyzer/util/hash.h"
#include "report/commands/cli.h"
#include "report/commands/job_inputs.h"
#include "report/job/digest.h"
#include "report/job/map.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((int)XS_DIGEST_BYTES)

/* Ends the job: a part of the digest is lost. */
static _Noreturn void give_up(const char *why)
{
	xs_cli_error(XS_EXIT_INPUT, "xferspy-mpi", why, "use fewer processes");
	MPI_Abort(MPI_COMM_WORLD, XS_EXIT_INPUT);
	exit(XS_EXIT_INPUT);
}

static void write_text(const json_t *group, char *text)
{
	FILE *out = fmemopen(text, BYTES, "w");

	if (!out || !group || xs_digest_write(group, out) || fclose(out) ||
	    !memchr(text, '\n', BYTES))
		give_up("a digest does not fit, or memory ran out");
}

static json_t *read_text(const char *text)
{
	const char *error = NULL;
	json_t *group = NULL;

	if (xs_digest_parse(text, strnlen(text, BYTES), &group, &error))
		give_up(error ? error : strerror(ENOMEM));
	return group;
}

/* Merges digests: the user operation of MPI_Reduce. */
static void merge(void *from, void *to, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *count; i++) {
		char *text = (char *)to + (size_t)i * BYTES;
		json_t *all = read_text(text);
		json_t *other = read_text((char *)from + (size_t)i * BYTES);

		if (xs_digest_merge(all, other))
			give_up(strerror(ENOMEM));
		write_text(all, text);
		json_decref(all);
		json_decref(other);
	}
}

static void reduce(char *own, char *all)
{
	MPI_Datatype type;
	MPI_Op operation;

	MPI_Type_contiguous(BYTES, MPI_CHAR, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(merge, 1, &operation);
	MPI_Reduce(own, all, 1, type, operation, 0, MPI_COMM_WORLD);
	MPI_Op_free(&operation);
	MPI_Type_free(&type);
}

/* Returns a text of each process, one after the other. */
static char *gather(const char *own, int ranks)
{
	const int size = (int)strlen(own) + 1;
	int *sizes = calloc((size_t)ranks, 2 * sizeof(*sizes));
	int *starts, all = 0;
	char *texts;

	if (!sizes)
		give_up(strerror(ENOMEM));
	starts = sizes + ranks;
	MPI_Allgather(&size, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++) {
		starts[i] = all;
		all += sizes[i];
	}
	texts = malloc((size_t)all);
	if (!texts)
		give_up(strerror(ENOMEM));
	MPI_Allgatherv(own, size, MPI_CHAR, texts, sizes, starts, MPI_CHAR,
		       MPI_COMM_WORLD);
	free(sizes);
	return texts;
}

/* Whether all traces of this process's file were there before: in order of all
 * files. Adds those that all processes read now. */
static bool were_there(json_t *own, int rank, int ranks, json_t *seen)
{
	char *text = own ? json_dumps(own, JSON_COMPACT) : NULL, *texts;
	const char *at;
	bool were = false;

	if (!text)
		give_up(strerror(ENOMEM));
	at = texts = gather(text, ranks);
	for (int i = 0; i < ranks; i++, at += strlen(at) + 1) {
		json_t *ids = json_loads(at, 0, NULL);

		if (i == rank)
			were = xs_digest_are_known(ids, seen);
		if (!ids || json_object_update(seen, ids))
			give_up(strerror(ENOMEM));
		json_decref(ids);
	}
	free(text);
	free(texts);
	return were;
}

/* Merges a file into the digest; all processes do so at a time. What is of
 * traces that were there before is only counted. Returns whether the file
 * cannot be read. */
static bool add(const char *path, int rank, int ranks, json_t *seen,
		json_t *all)
{
	const struct xs_result_options how = {0};
	json_t *group = NULL, *own;
	const int code = path ? xs_job_inputs_read(path, &how, &group) : 0;

	if (code < 0)
		give_up(strerror(-code));
	own = xs_digest_ids(group);
	if (were_there(own, rank, ranks, seen)) {
		json_decref(group);
		group = xs_digest_of_problem("duplicate", path);
	}
	json_decref(own);
	if (path && (!group || xs_digest_merge(all, group)))
		give_up(strerror(ENOMEM));
	json_decref(group);
	return code > 0;
}

/* Writes the digest of this process's share of the files into text. Returns
 * how many of them cannot be read. */
static int map(const struct xs_job_inputs *inputs, int rank, int ranks,
	       char *text)
{
	json_t *seen = json_object(), *all = xs_digest_new();
	int failed = 0;

	if (!seen || !all)
		give_up(strerror(ENOMEM));
	for (int i = rank; i - rank < inputs->count; i += ranks)
		failed += add(i < inputs->count ? inputs->paths[i] : NULL, rank,
			      ranks, seen, all);
	write_text(all, text);
	json_decref(all);
	json_decref(seen);
	return failed;
}

/* Whether all processes found the same files. */
static bool is_same(const struct xs_job_inputs *inputs)
{
	uint64_t hash = (uint64_t)inputs->count, most[2];

	for (int i = 0; i < inputs->count; i++)
		hash = xs_hash_text(hash, inputs->paths[i]);
	MPI_Allreduce((uint64_t[]){hash, ~hash}, most, 2, MPI_UINT64_T, MPI_MAX,
		      MPI_COMM_WORLD);
	return most[0] == ~most[1];
}

/* Reads the options. Returns whether files follow, from optind on. */
static bool parse(int argc, char **argv, const char **output)
{
	int option;

	opterr = 0;
	while ((option = getopt(argc, argv, "o:")) == 'o')
		*output = optarg;
	return option == -1 && optind < argc;
}

/* Lists the files, and opens the output in the first process. Returns 0, in all
 * processes alike, or an exit code after printing why. */
static int prepare(int argc, char **argv, int rank, const char *output,
		   struct xs_job_inputs *inputs, FILE **out)
{
	int code = xs_job_inputs_list(argv + optind, argc - optind, inputs);

	if (!is_same(inputs)) {
		code = XS_EXIT_INPUT;
		if (!rank)
			xs_cli_error(code, argv[optind],
				     "other processes find other files there",
				     "name a folder of all nodes, or merge a "
				     "digest of each node");
	}
	if (!code && !rank)
		code =
		    xs_cli_check_output(output, inputs->paths, inputs->count);
	if (!code && !rank)
		code = xs_cli_open(output, out);
	MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return code;
}

/* Maps and reduces. Returns the exit code. */
static int run(const struct xs_job_inputs *inputs, int rank, int ranks,
	       const char *output, FILE *out)
{
	char *own = calloc(2, BYTES);
	int failed, all_failed = 0, code = 0;

	if (!own)
		give_up(strerror(ENOMEM));
	failed = map(inputs, rank, ranks, own);
	MPI_Reduce(&failed, &all_failed, 1, MPI_INT, MPI_SUM, 0,
		   MPI_COMM_WORLD);
	reduce(own, own + BYTES);
	if (!rank) {
		code = xs_job_inputs_tell(all_failed, inputs->count);
		if (all_failed == inputs->count)
			xs_cli_discard(out);
		else if (xs_cli_close(output, out,
				      fputs(own + BYTES, out) < 0 ? -EIO : 0))
			code = XS_EXIT_INPUT;
	}
	free(own);
	return code;
}

int main(int argc, char **argv)
{
	struct xs_job_inputs inputs = {0};
	const char *output = NULL;
	int rank, ranks, code = 0;
	FILE *out = NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (parse(argc, argv, &output)) {
		code = prepare(argc, argv, rank, output, &inputs, &out);
		if (!code)
			code = run(&inputs, rank, ranks, output, out);
	} else if (!rank) {
		code = xs_cli_error(XS_EXIT_USAGE, "xferspy-mpi",
				    "it takes folders and traces, and -o FILE",
				    "mpirun xferspy-mpi FOLDER|TRACE... -o "
				    "DIGEST");
	}
	xs_job_inputs_free(&inputs);
	MPI_Finalize();
	return code;
}

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

#define BYTES ((int)XS_DIGEST_BYTES)

/* Room for what tells a trace from all others. */
#define ID 32

/* Ends the job: a part of the digest is lost. */
static void give_up(const char *why)
{
	xs_cli_error(XS_EXIT_INPUT, "xferspy-mpi", why, "use fewer processes");
	MPI_Abort(MPI_COMM_WORLD, XS_EXIT_INPUT);
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

/* Whether this process's trace was there before: in order of all files. Adds
 * those that all processes read now, "" for none. */
static bool was_there(json_t *seen, char (*ids)[ID], int rank, int ranks)
{
	bool was = false;

	for (int i = 0; i < ranks; i++) {
		if (i == rank)
			was = *ids[i] && json_object_get(seen, ids[i]);
		if (json_object_set_new(seen, ids[i], json_true()) < 0)
			give_up(strerror(ENOMEM));
	}
	return was;
}

/* Merges a file into the digest; all processes do so at a time. A trace that
 * was there before is only counted. Returns whether the file cannot be read. */
static bool add(const char *path, int rank, int ranks, char (*ids)[ID],
		json_t *seen, json_t *all)
{
	const struct xs_result_options how = {0};
	json_t *group = NULL;
	const int code = path ? xs_job_inputs_read(path, &how, &group) : 0;
	const char *id = group ? xs_digest_id(group) : NULL;
	char own[ID];

	if (code < 0)
		give_up(strerror(-code));
	snprintf(own, sizeof(own), "%.*s", ID - 1, id ? id : "");
	MPI_Allgather(own, ID, MPI_CHAR, ids, ID, MPI_CHAR, MPI_COMM_WORLD);
	if (was_there(seen, ids, rank, ranks)) {
		json_decref(group);
		group = xs_digest_of_problem("duplicate", path);
	}
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
	char(*ids)[ID] = calloc((size_t)ranks, sizeof(*ids));
	json_t *seen = json_object(), *all = xs_digest_new();
	int failed = 0;

	if (!ids || !seen || !all)
		give_up(strerror(ENOMEM));
	for (int i = rank; i - rank < inputs->count; i += ranks)
		failed += add(i < inputs->count ? inputs->paths[i] : NULL, rank,
			      ranks, ids, seen, all);
	write_text(all, text);
	json_decref(all);
	json_decref(seen);
	free(ids);
	return failed;
}

/* Prints the digest, or that there is none. Returns the exit code. */
static int print(const char *text, int failed, int count)
{
	const int code = xs_job_inputs_tell(failed, count);

	if (failed < count)
		fputs(text, stdout);
	return xs_cli_close(NULL, stdout, 0) ? XS_EXIT_INPUT : code;
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

static bool are_inputs(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-')
			return false;
	return argc >= 2;
}

int main(int argc, char **argv)
{
	const bool given = are_inputs(argc, argv);
	struct xs_job_inputs inputs = {0};
	char *own = calloc(2, BYTES);
	int rank, ranks, failed, all_failed = 0, code = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!own)
		give_up(strerror(ENOMEM));
	if (!given && !rank)
		code =
		    xs_cli_error(XS_EXIT_USAGE, "xferspy-mpi",
				 "it takes folders and traces, and no option",
				 "mpirun xferspy-mpi FOLDER|TRACE... "
				 ">DIGEST");
	else if (given)
		code = xs_job_inputs_list(argv + 1, argc - 1, &inputs);
	if (given && !is_same(&inputs)) {
		code = XS_EXIT_INPUT;
		if (!rank)
			xs_cli_error(code, argv[1],
				     "other processes find other files there",
				     "name a folder of all nodes, or merge a "
				     "digest of each node");
	}
	if (!code && given) {
		failed = map(&inputs, rank, ranks, own);
		MPI_Reduce(&failed, &all_failed, 1, MPI_INT, MPI_SUM, 0,
			   MPI_COMM_WORLD);
		reduce(own, own + BYTES);
		if (!rank)
			code = print(own + BYTES, all_failed, inputs.count);
	}
	xs_job_inputs_free(&inputs);
	free(own);
	MPI_Finalize();
	return code;
}

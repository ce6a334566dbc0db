/* SPDX-License-Identifier: MIT */
/*
 * xferspy-mpi: the digest of all traces of a folder, made by many processes.
 * Each reads its share of the traces; MPI_Reduce merges what they made.
 */
#include "analyzer/util/hash.h"
#include "report/commands/cli.h"
#include "report/commands/job_inputs.h"
#include "report/commands/report_machines.h"
#include "report/job/digest.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((int)XS_DIGEST_BYTES)

/* Ends the job: a part of the digest is lost. */
static _Noreturn void give_up(const char *why)
{
	xs_cli_fail("xferspy-mpi", why,
		    "free some memory, or merge fewer traces");
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

/* What a process is to do. */
struct process {
	int rank, ranks;
	struct xs_digest_options given;
	struct xs_report_machines machines;
	struct xs_result_options how;
	struct xs_job_inputs inputs;
	json_t *seen; /* ids of the traces that were read, by any process */
};

/* Counts this process's file only if its traces were there before, in order of
 * all files. All processes do so at a time. */
static void once(struct process *process, const char *path, json_t **group)
{
	json_t *own = xs_digest_ids(*group);
	char *text = own ? json_dumps(own, JSON_COMPACT) : NULL, *texts;
	const char *at;

	if (!text)
		give_up(strerror(ENOMEM));
	at = texts = gather(text, process->ranks);
	for (int i = 0; i < process->ranks; i++, at += strlen(at) + 1) {
		json_t *ids = json_loads(at, 0, NULL);

		if (!ids ||
		    (i == process->rank
			 ? xs_job_inputs_once(process->seen, path, group)
			 : json_object_update(process->seen, ids)))
			give_up(strerror(ENOMEM));
		json_decref(ids);
	}
	json_decref(own);
	free(text);
	free(texts);
}

/* Merges a file, or nothing, into the digest. Returns whether the file cannot
 * be read. */
static bool add(struct process *process, const char *path, json_t *all)
{
	json_t *group = NULL;
	const int code =
	    path ? xs_job_inputs_read(path, &process->how, &group) : 0;

	if (code < 0)
		give_up(strerror(-code));
	once(process, path, &group);
	if (group && xs_digest_merge(all, group))
		give_up(strerror(ENOMEM));
	json_decref(group);
	return code > 0;
}

/* Writes the digest of this process's share of the files into text. Returns
 * how many of them cannot be read. */
static int map(struct process *process, char *text)
{
	const struct xs_job_inputs *inputs = &process->inputs;
	json_t *all = xs_digest_new();
	int failed = 0;

	process->seen = json_object();
	if (!process->seen || !all)
		give_up(strerror(ENOMEM));
	for (int i = process->rank; i - process->rank < inputs->count;
	     i += process->ranks)
		failed += add(process,
			      i < inputs->count ? inputs->paths[i] : NULL, all);
	write_text(all, text);
	json_decref(all);
	json_decref(process->seen);
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

static const struct xs_cli_command command = {
    .name = "xferspy-mpi",
    .usage = "Usage: mpirun xferspy-mpi TRACE|DIGEST|FOLDER... [OPTIONS]\n"
	     "Writes the digest of all of them, for xferspy report; each "
	     "process reads a\n"
	     "part of the traces.\n",
    .options = xs_digest_options,
    .words = XS_CLI_WORDS_FILES,
};

/* Whether the launcher of another MPI started this: it knows of more processes
 * than MPI, and each of them would do all the work. */
static bool is_apart(const struct process *process)
{
	static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE",
					    "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
					    "SLURM_STEP_NUM_TASKS"};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const char *size = getenv(sizes[i]);

		if (size && process->ranks == 1 && atoi(size) > 1)
			return true;
	}
	return false;
}

/* Reads the options: the first process before the others, since it prints what
 * is wrong, and the help. Returns 0, XS_CLI_DONE or an exit code. */
static int parse(int argc, char **argv, struct process *process)
{
	int code = 0;

	if (!process->rank)
		code = xs_cli_parse(&command, argc, argv, &process->given);
	if (!process->rank && !code && optind == argc)
		code = xs_cli_misuse(command.name, "no trace was given",
				     "see xferspy-mpi --help");
	MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return code || !process->rank
		   ? code
		   : xs_cli_parse(&command, argc, argv, &process->given);
}

/* Returns the largest code of all processes. */
static int agree(int own)
{
	int code;

	MPI_Allreduce(&own, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return code;
}

static int list(char *const *words, int count, struct process *process)
{
	int code = xs_job_inputs_list(words, count, false, &process->inputs);

	if (!is_same(&process->inputs)) {
		code = XS_EXIT_INPUT;
		if (!process->rank)
			xs_cli_error(code, words[0],
				     "other processes find other files there",
				     "name a folder of all nodes, or merge a "
				     "digest of each node");
	}
	return code;
}

static int load_machine(struct process *process)
{
	return xs_report_machines_load(&process->given.machine,
				       process->given.machine != NULL,
				       &process->machines, &process->how);
}

/* Lists the files of the words, loads the machine, of which the first process
 * tells what is wrong, and opens the output there once all are ready. Returns
 * 0, in all processes alike, or an exit code after printing why. */
static int prepare(char *const *words, int count, struct process *process,
		   FILE **out)
{
	struct xs_job_inputs *inputs = &process->inputs;
	const char *output = process->given.output;
	int code = agree(list(words, count, process));

	if (!code && !process->rank)
		code = load_machine(process);
	if (!code && !process->rank)
		code = xs_job_inputs_check_machine(inputs, &process->how);
	if (!code && !process->rank)
		code =
		    xs_cli_check_output(output, inputs->paths, inputs->count);
	code = agree(code);
	if (!code && process->rank)
		code = load_machine(process);
	code = agree(code);
	if (!code && !process->rank)
		code = xs_cli_open(output, out);
	return agree(code);
}

/* Maps and reduces. Returns the exit code. */
static int run(struct process *process, FILE *out)
{
	const int count = process->inputs.count;
	char *own = calloc(2, BYTES);
	int failed, all_failed = 0, code = 0;

	if (!own)
		give_up(strerror(ENOMEM));
	failed = map(process, own);
	MPI_Reduce(&failed, &all_failed, 1, MPI_INT, MPI_SUM, 0,
		   MPI_COMM_WORLD);
	reduce(own, own + BYTES);
	if (!process->rank) {
		code = xs_job_inputs_tell(all_failed, count);
		if (all_failed == count)
			xs_cli_discard(out);
		else if (xs_cli_close(process->given.output, out,
				      fputs(own + BYTES, out) < 0 ? -EIO : 0))
			code = XS_EXIT_INPUT;
	}
	free(own);
	return code;
}

int main(int argc, char **argv)
{
	struct process process = {0};
	FILE *out = NULL;
	int code;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &process.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &process.ranks);
	code = is_apart(&process)
		   ? xs_cli_fail(command.name,
				 "MPI knows one process, the launcher more",
				 "start it by the mpirun of the MPI that it is "
				 "linked with")
		   : parse(argc, argv, &process);
	if (!code)
		code = prepare(argv + optind, argc - optind, &process, &out);
	if (!code)
		code = run(&process, out);
	xs_job_inputs_free(&process.inputs);
	free(process.machines.others);
	MPI_Finalize();
	return code == XS_CLI_DONE ? XS_EXIT_DONE : code;
}

/* SPDX-License-Identifier: MIT */
/* Threads that name ranges at the same time: each text has one number and one
 * string in the trace. ThreadSanitizer checks that no name is read before it is
 * written. */
#include "preload/record/nvtx_names.h"

#include "tests/preload/trace_of_test.h"

#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define TEXTS	1500

static struct xs_trace_file trace;
static pthread_barrier_t begin;

static struct user {
	struct xs_writer writer;
	uint32_t numbers[TEXTS], strings[TEXTS];
} users[THREADS];

static void *use_names(void *data)
{
	struct user *user = data;
	char text[32];

	xs_writer_open(&user->writer, &trace, (uint32_t)(user - users) + 1);
	pthread_barrier_wait(&begin);
	for (unsigned i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof(text), "range %u", i);
		user->numbers[i] = xs_nvtx_name(text);
		user->strings[i] =
		    xs_nvtx_name_string(user->numbers[i], &user->writer);
	}
	xs_writer_close(&user->writer);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, use_names, &users[i]), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&begin);
}

TEST(threads_agree_on_names)
{
	assert_int_equal(begin_trace(&trace), 0);
	assert_true(xs_nvtx_names_open());
	run_threads();
	for (unsigned i = 1; i < THREADS; i++) {
		assert_memory_equal(users[i].numbers, users[0].numbers,
				    sizeof(users[0].numbers));
		assert_memory_equal(users[i].strings, users[0].strings,
				    sizeof(users[0].strings));
	}
	for (unsigned i = 0; i < TEXTS; i++)
		assert_true(xs_nvtx_name_exists(users[0].numbers[i]));
	end_trace(&trace);
	assert_int_equal(records_of(&r, XS_REC_string), TEXTS);
}

RUN_TESTS(NULL, drop_records)

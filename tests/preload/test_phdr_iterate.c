/* SPDX-License-Identifier: MIT */
/* Iterations over loaded objects, and concurrent forks. */
#include "tests/unit.h"

#include "preload/util/phdr_iterate.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS 200

static int count_one(struct dl_phdr_info *info, size_t bytes, void *count)
{
	(void)info, (void)bytes;
	++*(unsigned *)count;
	return 0;
}

static int stop(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	(void)info, (void)bytes, (void)unused;
	return 7;
}

static int walk_again(struct dl_phdr_info *info, size_t bytes, void *count)
{
	(void)info, (void)bytes;
	return xs_phdr_iterate(count_one, count) + 1;
}

TEST(iteration_stops_on_request)
{
	unsigned count = 0, again = 0;

	assert_int_equal(xs_phdr_iterate(count_one, &count), 0);
	assert_true(count > 2);
	assert_int_equal(xs_phdr_iterate(stop, NULL), 7);
	/* like a signal handler */
	assert_int_equal(xs_phdr_iterate(walk_again, &again), 1);
	assert_int_equal(again, count);
}

static void *walk_on(void *done)
{
	unsigned count = 0;

	while (!atomic_load((atomic_bool *)done)) {
		xs_phdr_iterate(count_one, &count);
		sched_yield();
	}
	return NULL;
}

/* Loads a library that is not loaded yet. */
static void load_or_die(void)
{
	unsigned count = 0;

	alarm(600); /* a deadlock */
	if (!dlopen("libresolv.so.2", RTLD_NOW))
		_exit(1);
	xs_phdr_iterate(count_one, &count);
	_exit(count > 2 ? 0 : 2);
}

TEST(forked_children_can_load_libraries)
{
	atomic_bool done = false;
	int status = 0;
	pthread_t thread;

	pthread_atfork(xs_phdr_iterate_before_fork, xs_phdr_iterate_after_fork,
		       xs_phdr_iterate_in_child);
	assert_int_equal(pthread_create(&thread, NULL, walk_on, &done), 0);
	for (int i = 0; i < FORKS && status == 0; i++) {
		pid_t pid = fork();
		if (pid == 0)
			load_or_die();
		waitpid(pid, &status, 0);
	}
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	assert_int_equal(status, 0);
}

static void *walk_once(void *count)
{
	xs_phdr_iterate(count_one, count);
	return NULL;
}

/* As if a handler of fork() waited for the iterating thread. */
TEST(iteration_waits_at_most_a_second)
{
	unsigned count = 0;
	pthread_t thread;

	xs_phdr_iterate_before_fork();
	assert_int_equal(pthread_create(&thread, NULL, walk_once, &count), 0);
	pthread_join(thread, NULL);
	xs_phdr_iterate_after_fork();
	assert_true(count > 2);
}

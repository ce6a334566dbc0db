/* SPDX-License-Identifier: MIT */
/* What may interrupt the work in a guard. */
#include "tests/unit.h"

#include "preload/util/guard.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void read_address_space(void *bytes)
{
	*(size_t *)bytes = address_space();
}

/* A limit of address space may be near, and each thread may take as much. Later
 * tests find an unused stack: this one comes first. */
TEST(a_stack_takes_little_address_space)
{
	size_t before, inside = 0;

	address_space(); /* stdio allocates its buffers */
	before = address_space();
	xs_guard_run(read_address_space, &inside);
	assert_in_range(inside, before + (1u << 19), before + (3u << 19));
}

static void ignore(int number)
{
	(void)number;
}

static void pause_here(void *lets_default)
{
	if (*(bool *)lets_default)
		xs_guard_let_default_signals();
	kill(getpid(), SIGTERM);
	_exit(3); /* SIGTERM is blocked */
}

/* Returns how a child ends that gets SIGTERM in a guard. */
static int ended(bool lets_default, bool handles, bool blocks)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		struct xs_guard outer;

		if (handles)
			signal(SIGTERM, ignore);
		if (blocks)
			xs_guard_begin(&outer);
		xs_guard_run(pause_here, &lets_default);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

TEST(default_signals_end_long_work)
{
	assert_int_equal(WEXITSTATUS(ended(false, false, false)), 3);
	assert_int_equal(WTERMSIG(ended(true, false, false)), SIGTERM);
	assert_int_equal(WTERMSIG(ended(true, false, true)), SIGTERM);
	/* a handler might jump out of the guard */
	assert_int_equal(WEXITSTATUS(ended(true, true, false)), 3);
}

static void keep_mask(void *mask)
{
	xs_guard_let_default_signals();
	pthread_sigmask(SIG_BLOCK, NULL, mask);
}

/* A signal that the thread had blocked stays blocked, and all is as before
 * after the guard. */
TEST(masks_are_kept)
{
	sigset_t mine, inside, after;

	sigemptyset(&mine);
	sigaddset(&mine, SIGTERM);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
	xs_guard_run(keep_mask, &inside);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&inside, SIGTERM), 1);
	assert_int_equal(sigismember(&inside, SIGUSR1), 1);
	assert_int_equal(sigismember(&inside, SIGQUIT), 0);
	assert_int_equal(sigismember(&after, SIGTERM), 1);
	assert_int_equal(sigismember(&after, SIGUSR1), 0);
	sigemptyset(&mine);
	pthread_sigmask(SIG_SETMASK, &mine, NULL);
}

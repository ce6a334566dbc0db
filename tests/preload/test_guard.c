/* SPDX-License-Identifier: MIT */
/* What may interrupt the work in a guard. */
#include "tests/unit.h"

#include "preload/util/guard.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void default_signals_end_long_work(void **state)
{
	(void)state;
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
static void masks_are_kept(void **state)
{
	sigset_t mine, inside, after;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(default_signals_end_long_work),
	    cmocka_unit_test(masks_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

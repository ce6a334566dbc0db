/* SPDX-License-Identifier: MIT */
/* How examples with several processes end, whatever their parent has set. */
#include "examples/putget/ends.h"

#include "tests/unit.h"

#define FAILED 7

static pid_t processes[2];

static void pass(void)
{
}

static void fail_now(void)
{
	_exit(FAILED);
}

/* Ends by itself if nobody does. */
static void stay(void)
{
	signal(SIGALRM, SIG_DFL);
	alarm(30);
	for (;;)
		pause();
}

static pid_t start(void (*work)(void))
{
	const pid_t process = fork();

	if (process != 0)
		return process;
	work();
	_exit(0);
}

/* Returns how a program ends that has 20 s. */
static int status_of(void (*program)(void))
{
	int status = -1;
	const pid_t process = start(program);

	assert_int_equal(waitpid(process, &status, 0), process);
	return status;
}

static void assert_code(void (*program)(void), int code)
{
	const int status = status_of(program);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void write_to_closed_pipe(void)
{
	int ends[2];

	end_within(20, "test");
	if (pipe(ends) != 0 || close(ends[0]) != 0)
		fail_now();
	_exit(write(ends[1], "", 1) < 0 && errno == EPIPE ? 0 : FAILED);
}

TEST(a_closed_pipe_fails)
{
	assert_code(write_to_closed_pipe, 0);
}

static void wait_for_failure(void)
{
	signal(SIGCHLD, SIG_IGN);
	end_within(20, "test");
	processes[0] = start(fail_now);
	processes[1] = start(stay);
	_exit(wait_processes("test", processes, 2));
}

TEST(a_failure_is_seen)
{
	assert_code(wait_for_failure, EXIT_NO_ANSWER);
}

static void wait_for_nothing(void)
{
	end_within(20, "test");
	processes[0] = getppid();
	_exit(wait_processes("test", processes, 1));
}

TEST(unknown_ends_are_failures)
{
	assert_code(wait_for_nothing, EXIT_NO_ANSWER);
}

static void wait_beside_another(void)
{
	const pid_t other = start(stay);
	int code;

	end_within(20, "test");
	processes[0] = start(pass);
	code = wait_processes("test", processes, 1);
	kill(other, SIGKILL);
	_exit(code);
}

TEST(other_children_are_not_waited_for)
{
	assert_code(wait_beside_another, 0);
}

static void stay_too_long(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	end_within(1, "test");
	for (int i = 0; i < 20; i++)
		sleep(1);
}

TEST(a_blocked_deadline_comes)
{
	assert_code(stay_too_long, EXIT_NO_ANSWER);
}

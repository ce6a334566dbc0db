/* SPDX-License-Identifier: MIT */
/*
 * A thread that a timer's handler throws out of whatever it does, some thousand
 * times a second, beside threads that call at the same places. Calls of the
 * real functions are not interrupted by a jump if they are the simulated
 * CUDA's, whose locks would stay held: given "ours", only code of libxferspy is
 * left. Prints how many calls were begun and how many returned.
 */
#include <cuda_runtime_api.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#define WORKERS	    2
#define INTERVAL_US 20

static char host[64];
static void *device;
static sigjmp_buf back;
static uintptr_t begin, end; /* of the code that may be left; 0: any */
static volatile sig_atomic_t may_jump;
static volatile unsigned long jumps, begun, returned;
static volatile int done;

/* 64 call sites: one for each bit pattern of `i`. */
#define ONE                                                                    \
	if (i-- == 0)                                                          \
		return cudaMemcpy(device, host, sizeof(host),                  \
				  cudaMemcpyHostToDevice);
#define EIGHT ONE ONE ONE ONE ONE ONE ONE ONE

static __attribute__((noinline)) cudaError_t call_at(unsigned i)
{
	i %= 64;
	EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT return cudaSuccess;
}

/* Deeper stacks in turn. */
static __attribute__((noinline)) cudaError_t call_deeper(unsigned i)
{
	volatile char space[512];

	memset((char *)space, 0xff, sizeof(space));
	return call_at(i + (unsigned)space[0] % 2u);
}

static void on_alarm(int number, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;
	const uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

	(void)number, (void)info;
	if (!may_jump || (end && at - begin >= end - begin))
		return;
	/* no jump out of the jump: siglongjmp() lets signals in before it
	 * leaves */
	may_jump = 0;
	jumps++;
	siglongjmp(back, 1);
}

static int find_library(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	(void)bytes, (void)unused;
	if (!strstr(info->dlpi_name, "libxferspy"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		begin = info->dlpi_addr + ph->p_vaddr;
		end = begin + ph->p_memsz;
	}
	return 1;
}

static void *work(void *count)
{
	while (!done)
		*(unsigned long *)count +=
		    call_at((unsigned)*(unsigned long *)count) == cudaSuccess;
	return NULL;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void call_and_be_thrown_out(double until)
{
	const struct itimerval often = {{0, INTERVAL_US}, {0, INTERVAL_US}};
	const struct itimerval never = {0};

	setitimer(ITIMER_REAL, &often, NULL);
	sigsetjmp(back, 1);
	while (now() < until || !jumps) {
		may_jump = 1;
		begun++;
		if ((begun & 1 ? call_at : call_deeper)((unsigned)begun / 2))
			exit(2);
		returned++;
		may_jump = 0;
	}
	may_jump = 0;
	setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_sigaction = on_alarm,
					 .sa_flags = SA_SIGINFO | SA_RESTART};
	unsigned long counts[WORKERS] = {0}, worked = 0;
	pthread_t threads[WORKERS];
	sigset_t alarms;

	if (argc < 3 || cudaMalloc(&device, sizeof(host)) ||
	    sigaction(SIGALRM, &action, NULL))
		return 2;
	if (strcmp(argv[1], "ours") == 0) {
		begin = 0, end = 1;
		dl_iterate_phdr(find_library, NULL);
	}
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, &counts[i]))
			return 2;
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	call_and_be_thrown_out(now() + atof(argv[2]));
	done = 1;
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		worked += counts[i];
	}
	printf("%lu %lu %lu\n", begun + worked, returned + worked, jumps);
	return 0;
}

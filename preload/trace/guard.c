/* SPDX-License-Identifier: MIT */
#include "preload/trace/guard.h"
#include "preload/trace/session.h"
#include "preload/util/mappings.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sigaction before;

static bool replace(const void *address)
{
	struct xs_mapping mapping;

	if (!xs_mappings_find(address, &mapping))
		return false;
	atomic_store(&xs_session_trace.cut, true);
	return mmap(mapping.begin, mapping.bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) != MAP_FAILED;
}

/* A fault comes again by itself; a signal that was sent does not. */
static void give_back(siginfo_t *info, bool fault)
{
	sigaction(SIGBUS, &before, NULL);
	if (!fault)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid),
			SIGBUS, info);
}

static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	int kept_errno = errno;
	bool fault = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;

	(void)signal, (void)context;
	if (!fault || !replace(info->si_addr))
		give_back(info, fault);
	errno = kept_errno;
}

void xs_guard_start(void)
{
	struct sigaction ours = {.sa_sigaction = on_sigbus,
				 .sa_flags =
				     SA_SIGINFO | SA_ONSTACK | SA_RESTART};

	if (sigaction(SIGBUS, NULL, &before) || before.sa_handler == SIG_IGN)
		return;
	sigemptyset(&ours.sa_mask);
	sigaction(SIGBUS, &ours, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "preload/util/guard.h"
#include "preload/util/hot.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Only touched pages take memory, but all of it is address space, which may be
 * limited, and each thread may have one. */
#define STACK_BYTES (1u << 20)
#define DEEP_BYTES  (8u << 20) /* as the stack of a thread */
#define GUARD_BYTES 4096u
#define MAX_SPARES  4u

static _Thread_local unsigned depth __attribute__((tls_model("initial-exec")));
static _Thread_local bool on_own_stack
    __attribute__((tls_model("initial-exec")));
static _Thread_local const char *own_stack
    __attribute__((tls_model("initial-exec")));
static _Thread_local size_t own_bytes
    __attribute__((tls_model("initial-exec")));

static _Thread_local const struct xs_guard *outermost
    __attribute__((tls_model("initial-exec")));

/* Unused stacks. No lock: a child of a fork must not find one held. */
static _Atomic(char *) spares[MAX_SPARES];

static void block_signals(sigset_t *old)
{
	static const int own[] = {SIGSEGV, SIGBUS,  SIGFPE,
				  SIGILL,  SIGTRAP, SIGSYS};
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_BLOCK, &all, old);
}

XS_COLD void xs_guard_begin(struct xs_guard *guard)
{
	if (!depth) {
		block_signals(&guard->signals);
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
				       &guard->cancel_state);
		outermost = guard;
	}
	depth++;
}

XS_COLD void xs_guard_end(const struct xs_guard *guard)
{
	if (--depth)
		return;
	outermost = NULL;
	pthread_setcancelstate(guard->cancel_state, NULL);
	pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
}

void xs_guard_let_default_signals(void)
{
	static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action;
	sigset_t let;

	if (!outermost)
		return;
	sigemptyset(&let);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		if (!sigismember(&outermost->signals, fatal[i]) &&
		    sigaction(fatal[i], NULL, &action) == 0 &&
		    action.sa_handler == SIG_DFL)
			sigaddset(&let, fatal[i]);
	pthread_sigmask(SIG_UNBLOCK, &let, NULL);
}

bool xs_guard_is_on(void)
{
	return depth != 0;
}

void xs_guard_own_thread(void)
{
	depth++;
	on_own_stack = true;
}

bool xs_guard_holds(const void *address)
{
	return own_stack &&
	       (uintptr_t)address - (uintptr_t)own_stack < own_bytes;
}

#ifdef __x86_64__
/* Calls run(data) on the stack that ends at `top`. Unwinders find the caller
 * through the frame pointer. */
void xs_guard_switch(char *top, void (*run)(void *data), void *data)
    __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n"
	".globl xs_guard_switch\n"
	".hidden xs_guard_switch\n"
	".type xs_guard_switch, @function\n"
	"xs_guard_switch:\n"
	".cfi_startproc\n"
	"endbr64\n"
	"pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"movq %rdi, %rsp\n"
	"movq %rdx, %rdi\n"
	"callq *%rsi\n"
	"leave\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	"ret\n"
	".cfi_endproc\n"
	".size xs_guard_switch, . - xs_guard_switch\n"
	".popsection\n");

static char *map_stack(size_t bytes)
{
	char *stack = mmap(
	    NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED)
		return NULL;
	mprotect(stack, GUARD_BYTES, PROT_NONE);
	madvise(stack, bytes, MADV_NOHUGEPAGE);
	return stack;
}

static char *take_stack(size_t bytes)
{
	char *stack = NULL;

	for (unsigned i = 0; !stack && bytes == STACK_BYTES && i < MAX_SPARES;
	     i++)
		stack = atomic_exchange(&spares[i], NULL);
	return stack ? stack : map_stack(bytes);
}

static void give_stack(char *stack, size_t bytes)
{
	for (unsigned i = 0; bytes == STACK_BYTES && i < MAX_SPARES; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&spares[i], &none, stack))
			return;
	}
	munmap(stack, bytes);
}

static void run_on_stack(size_t bytes, void (*run)(void *data), void *data)
{
	int kept_errno = errno;
	char *stack = take_stack(bytes);

	errno = kept_errno;
	if (!stack) {
		run(data);
		return;
	}
	on_own_stack = true;
	own_stack = stack;
	own_bytes = bytes;
	xs_guard_switch(stack + bytes, run, data);
	own_stack = NULL;
	on_own_stack = false;
	kept_errno = errno;
	give_stack(stack, bytes);
	errno = kept_errno;
}
#else
static void run_on_stack(size_t bytes, void (*run)(void *data), void *data)
{
	(void)bytes;
	run(data);
}
#endif

static void run_guarded(size_t bytes, void (*run)(void *data), void *data)
{
	struct xs_guard guard;

	if (on_own_stack) {
		run(data);
		return;
	}
	xs_guard_begin(&guard);
	run_on_stack(bytes, run, data);
	xs_guard_end(&guard);
}

XS_COLD void xs_guard_run(void (*run)(void *data), void *data)
{
	run_guarded(STACK_BYTES, run, data);
}

XS_COLD void xs_guard_run_deep(void (*run)(void *data), void *data)
{
	run_guarded(DEEP_BYTES, run, data);
}

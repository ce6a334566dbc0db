/* SPDX-License-Identifier: MIT */
/* A library for test_callstack.c: makes calls from many depths and places. */
#include "deep.h"

#include <stdint.h>
#include <string.h>

/* Keeps the compiler from removing a frame or its array. */
static char *volatile kept;

__attribute__((noinline)) void deep_call(unsigned depth, size_t bytes,
					 deep_fn call, void *data)
{
	kept = __builtin_alloca(bytes);
	if (depth)
		deep_call(depth - 1, bytes, call, data);
	else
		call(data);
	kept = NULL;
}

void deep_call_below(size_t bytes, deep_fn call, void *data)
{
	kept = memset(__builtin_alloca(bytes), 0, bytes);
	call(data);
	kept = NULL;
}

/* All places make their call through this function, as through a library. */
__attribute__((noinline)) static void launch(deep_fn call, void *data)
{
	call(data);
	kept = NULL;
}

__attribute__((noinline)) static void multiply(deep_fn call, void *data)
{
	launch(call, data);
	kept = NULL;
}

/* A separate function for each place. */
#define PLACE(number)                                                          \
	case number:                                                           \
		if (through_library)                                           \
			multiply(call, data);                                  \
		else                                                           \
			call(data);                                            \
		__asm__ volatile("# %0" : : "i"(number));                      \
		break;

void deep_call_from(unsigned place, bool through_library, deep_fn call,
		    void *data)
{
	switch (place) {
		PLACE(0)
		PLACE(1)
		PLACE(2)
		PLACE(3)
		PLACE(4)
		PLACE(5)
		PLACE(6)
		PLACE(7)
		PLACE(8)
		PLACE(9)
		PLACE(10)
		PLACE(11)
		PLACE(12)
		PLACE(13)
		PLACE(14)
		PLACE(15)
		PLACE(16)
		PLACE(17)
		PLACE(18)
		PLACE(19)
	default:
		break;
	}
}

#ifdef __x86_64__
/* runtime.asmcgocall(call, data, goroutine, end of the thread's own stack) */
void deep_asmcgocall(deep_fn call, void *data, const uintptr_t *goroutine,
		     void *end);
__asm__(".text\n"
	".globl deep_asmcgocall\n"
	"deep_asmcgocall:\n"
	"	mov %rsp, %rax\n"
	"	lea -16(%rcx), %rsp\n"
	"	mov %rdx, 8(%rsp)\n"
	"	mov 8(%rdx), %rcx\n"
	"	sub %rax, %rcx\n"
	"	mov %rcx, (%rsp)\n"
	"	xchg %rdi, %rsi\n"
	"	call *%rsi\n"
	"	mov 8(%rsp), %rdx\n"
	"	mov 8(%rdx), %rax\n"
	"	sub (%rsp), %rax\n"
	"	mov %rax, %rsp\n"
	"	ret\n");

__attribute__((noinline)) void deep_call_from_go(deep_fn call, void *data)
{
	static _Alignas(64) char stack[1 << 18];
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t goroutine[] = {here - 8192, here + 64};

	deep_asmcgocall(call, data, goroutine, stack + sizeof(stack));
	kept = NULL;
}
#endif

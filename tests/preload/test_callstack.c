/* SPDX-License-Identifier: MIT */
/* Each call stack is walked once, without reading symbols. The calls come from
 * a library, deep.c. This program contains the code under test, so it has the
 * role of libxferspy.so. */
#include "tests/unit.h"

#include "deep.h"
#include "preload/callstack/callstack.h"
#include "preload/sampling/capture_mode.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#define PATH   "test_walk.xspy"
#define DEPTHS 24u
#define ROUNDS                                                                 \
	3u /* from the same lines, since the test's frames are recorded, too   \
	    */
#define BELOW 512u /* bytes of stack */

atomic_bool xs_capture_mode_is_limited; /* capture_mode.c is not linked in */

static struct xs_trace_file trace;
static struct xs_thread thread;
static unsigned walks;
static char *volatile kept; /* on the stack */

_Unwind_Reason_Code __real__Unwind_Backtrace(_Unwind_Trace_Fn step, void *data);
_Unwind_Reason_Code __wrap__Unwind_Backtrace(_Unwind_Trace_Fn step, void *data);
int __wrap_dladdr(const void *address, Dl_info *info);
int __real_dladdr1(const void *address, Dl_info *info, void **extra, int flags);
int __wrap_dladdr1(const void *address, Dl_info *info, void **extra, int flags);

_Unwind_Reason_Code __wrap__Unwind_Backtrace(_Unwind_Trace_Fn step, void *data)
{
	walks++;
	return __real__Unwind_Backtrace(step, data);
}

/* Both functions would make glibc read an object's symbols. */
int __wrap_dladdr(const void *address, Dl_info *info)
{
	(void)address, (void)info;
	fail_msg("a walk compares symbols");
	return 0;
}

int __wrap_dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	fail_msg("a walk compares symbols");
#endif
	return __real_dladdr1(address, info, extra, flags);
}

static bool in_go, reads_refused;
ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to,
				unsigned long to_count,
				const struct iovec *from,
				unsigned long from_count, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to,
				unsigned long to_count,
				const struct iovec *from,
				unsigned long from_count, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to,
				unsigned long to_count,
				const struct iovec *from,
				unsigned long from_count, unsigned long flags)
{
	if (!in_go)
		fail_msg("a walk looks for Go where there is none");
	return reads_refused ? -1
			     : __real_process_vm_readv(pid, to, to_count, from,
						       from_count, flags);
}

/* How a call is seen, and the result of its walk. */
struct call {
	enum xs_function fn;
	bool by_hook;
	size_t below; /* bytes of our own on the stack */
	uint32_t site;
};

static void see(void *data)
{
	struct call *call = data;
	const size_t below = call->below + 16;
	uintptr_t address = (uintptr_t)__builtin_return_address(0);

	kept = memset(__builtin_alloca(below), 0, below);
	call->site = call->by_hook
			 ? xs_callstack_hooked(
			       &thread, call->fn,
			       xs_site_find(call->fn, address, 0), address)
			 : xs_callstack_seen(&thread, call->fn, NULL).site;
	assert_int_not_equal(call->site, 0);
	kept = NULL;
}

FIXTURE(begin)
{
	static const struct xs_trace_file_start start = {1, 2, 3};

	unlink(PATH);
	if (xs_trace_file_open(&trace, PATH, &start))
		return -1;
	xs_callstack_start();
	thread.writer = (struct xs_writer){.trace = &trace, .thread = 1};
	return 0;
}

FIXTURE(end)
{
	xs_callstack_drop(thread.callstack);
	thread.callstack = NULL;
	xs_writer_close(&thread.writer);
	xs_trace_file_close(&trace, 4);
	return 0;
}

static void call_from_all_depths(uint32_t sites[3][DEPTHS], bool by_hook,
				 size_t bytes)
{
	static const enum xs_function functions[] = {
	    XS_FN_cudaLaunchKernel, XS_FN_cudaLaunchKernelExC,
	    XS_FN_cudaLaunchCooperativeKernel};

	for (unsigned depth = 0; depth < DEPTHS; depth++)
		for (unsigned i = 0; i < 3; i++) {
			struct call call = {.fn = functions[i],
					    .by_hook = by_hook};

			deep_call(depth, bytes, see, &call);
			sites[i][depth] = call.site;
		}
}

static void expect_depths_walked_once(bool by_hook, size_t bytes)
{
	uint32_t sites[ROUNDS][3][DEPTHS];

	walks = 0;
	for (volatile unsigned round = 0; round < ROUNDS; round++) {
		call_from_all_depths(sites[round], by_hook, bytes);
		assert_int_equal(walks, 3 * DEPTHS);
		assert_memory_equal(sites[round], sites[0], sizeof(sites[0]));
	}
	assert_int_not_equal(sites[0][0][0], sites[0][0][1]);
	assert_int_not_equal(sites[0][0][0], sites[0][1][0]);
}

TEST(depths_that_hooks_see)
{
	expect_depths_walked_once(true, 16);
}

TEST(depths_that_callbacks_see)
{
	expect_depths_walked_once(false, 16);
}

/* Frames as large as arrays on the stack make them. */
TEST(depths_of_large_frames)
{
	expect_depths_walked_once(true, 4096 - 32);
}

static void call_from_all_places(uint32_t sites[DEEP_PLACES], bool by_hook,
				 bool through_library)
{
	for (unsigned place = 0; place < DEEP_PLACES; place++) {
		struct call call = {.fn = by_hook ? XS_FN_cudaLaunchKernel
						  : XS_FN_cuLaunchKernel,
				    .by_hook = by_hook};

		deep_call_from(place, through_library, see, &call);
		sites[place] = call.site;
	}
}

static void expect_places_walked_once(bool by_hook, bool through_library)
{
	uint32_t sites[ROUNDS][DEEP_PLACES];

	walks = 0;
	for (volatile unsigned round = 0; round < ROUNDS; round++) {
		call_from_all_places(sites[round], by_hook, through_library);
		assert_int_equal(walks, DEEP_PLACES);
		assert_memory_equal(sites[round], sites[0], sizeof(sites[0]));
	}
	for (unsigned i = 1; i < DEEP_PLACES; i++)
		assert_int_not_equal(sites[0][i], sites[0][0]);
}

TEST(places_that_hooks_see)
{
	expect_places_walked_once(true, false);
}

TEST(places_that_callbacks_see)
{
	expect_places_walked_once(false, false);
}

TEST(places_of_a_library_that_hooks_see)
{
	expect_places_walked_once(true, true);
}

TEST(places_of_a_library_that_callbacks_see)
{
	expect_places_walked_once(false, true);
}

/* CUDA's frames differ between code paths; two stacks may still end at the same
 * depth. */
TEST(code_paths_of_one_depth)
{
	walks = 0;
	for (volatile unsigned round = 0; round < ROUNDS; round++)
		for (size_t ours = 0; ours <= BELOW; ours += BELOW) {
			struct call call = {.fn = XS_FN_cuLaunchKernel,
					    .below = ours};

			deep_call_below(BELOW - ours, see, &call);
		}
	assert_int_equal(walks, 2);
}

static void see_through(unsigned ours, struct call *call)
{
	char *volatile frame = __builtin_alloca(16);

	if (ours)
		see_through(ours - 1, call);
	else
		see(call);
	*frame = 0; /* no tail call */
}

static void see_through_many(void *call)
{
	see_through(40, call);
}

/* As in a build without optimisation. */
TEST(frames_of_ours_take_no_place)
{
	uint32_t sites[2];

	for (unsigned place = 0; place < 2; place++) {
		struct call call = {.fn = XS_FN_cuLaunchKernel};

		deep_call_from(place, false, see_through_many, &call);
		sites[place] = call.site;
	}
	assert_int_not_equal(sites[0], sites[1]);
}

static ucontext_t fibre;
static struct call fibre_call = {.fn = XS_FN_cuLaunchKernel};

static void see_in_fibre(void)
{
	see(&fibre_call);
}

/* There is no memory above a fibre's stack. */
TEST(end_of_a_fibre)
{
	const size_t size = 1 << 18;
	char *stack = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ucontext_t back;

	assert_int_equal(mprotect(stack + size, size, PROT_NONE), 0);
	getcontext(&fibre);
	fibre.uc_stack.ss_sp = stack;
	fibre.uc_stack.ss_size = size;
	fibre.uc_link = &back;
	makecontext(&fibre, see_in_fibre, 0);
	swapcontext(&back, &fibre);
	munmap(stack, 2 * size);
}

#ifdef __x86_64__
void __register_frame(void *table);
void __deregister_frame(void *table);

/* Its unwind table tells no frame address. Calls function(data). */
TEST(end_at_code_made_at_run_time)
{
	static const unsigned char code[] = {
	    0x48, 0x83, 0xec, 0x08,		/* sub $8, %rsp */
	    0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, /* mov %rdi, %rax; %rsi, %rdi */
	    0xff, 0xd0,				/* call *%rax */
	    0x48, 0x83, 0xc4, 0x08, 0xc3	/* add $8, %rsp; ret */
	};
	struct {
		uint32_t cie_length, cie_id;
		unsigned char cie[16]; /* version 1, "zR", 1, -8, 16, 1, 0 */
		uint32_t fde_length, cie_at;
		uint64_t begin, length;
		uint32_t augmentation, end;
	} table = {20, 0, {1, 'z', 'R', 0, 1, 0x78, 16, 1}, 24, 28, 0, 4096,
		   0,  0};
	struct call call = {.fn = XS_FN_cuLaunchKernel};
	void (*made)(void (*function)(void *), void *data);
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	memcpy(page, code, sizeof(code));
	table.begin = (uint64_t)page;
	memcpy(&made, &page, sizeof(made));
	__register_frame(&table);
	made(see, &call);
	__deregister_frame(&table);
	munmap(page, 4096);
}

static bool go_places_differ(void)
{
	struct call first = {.fn = XS_FN_cuLaunchKernel}, second = first;

	in_go = true;
	deep_call_from_go(see, &first);
	deep_call_from_go(see, &second);
	in_go = false;
	return first.site != second.site;
}

TEST(places_in_go)
{
	assert_true(go_places_differ());
}

TEST(places_in_go_in_a_sandbox)
{
	reads_refused = true;
	go_places_differ();
	reads_refused = false;
}
#endif

RUN_TESTS(begin, end)

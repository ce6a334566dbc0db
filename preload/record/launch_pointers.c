/* SPDX-License-Identifier: MIT */
/*
 * XFERSPY_DATAFLOW=sample records the first launches of each kernel, and all
 * launches of some windows of time: of a program with rounds this gives whole
 * rounds, and of several threads the same ones.
 */
#include "preload/record/launch_pointers.h"
#include "preload/api/launch_arguments.h"
#include "preload/api/param_info.h"
#include "preload/record/address_tables.h"
#include "preload/record/kernel_layout.h"
#include "preload/record/live_memory.h"
#include "preload/record/mapped_handles.h"
#include "preload/record/table_search.h"
#include "preload/trace/gpu_records.h"
#include "preload/util/guard.h"

#include <cuda.h>

#define FIRST_LAUNCHES 256u

#define MOST_ADDRESSES 512u /* of a launch */
#define MOST_EXTRA     8u   /* entries of `extra` that are looked at */
#define MOST_PINNED    16u  /* addresses of pinned memory that are */
#define MOST_PIECES    256u /* of memory behind an address */

_Atomic int xs_launch_pointers_mode;
static atomic_bool has_aliases;

struct noting {
	struct xs_thread *thread;
	const struct xs_span *span;
	struct xs_launch_arguments launch;
	/* of other calls: */
	const struct xs_event *event;
	enum xs_function fn;
};

static bool is_in_window(uint64_t start_ns)
{
	static _Atomic uint64_t first_ns;
	uint64_t begin_ns = xs_relaxed(&first_ns);

	/* if another thread was first, it stores that one's */
	if (!begin_ns &&
	    atomic_compare_exchange_strong(&first_ns, &begin_ns, start_ns))
		begin_ns = start_ns;
	return xs_launch_pointers_in_window(start_ns, start_ns - begin_ns);
}

static bool is_wanted_now(uint64_t start_ns)
{
	return xs_relaxed(&xs_launch_pointers_mode) == XS_DATAFLOW_ALL ||
	       is_in_window(start_ns);
}

/* Returns whether the launch's pointers are recorded. Takes no lock: in
 * XFERSPY_DATAFLOW=sample most launches only come here. */
static bool is_wanted(const struct noting *noting)
{
	const struct xs_kernel *kernel;

	if (is_wanted_now(noting->span->start_ns))
		return true;
	kernel = noting->launch.function
		     ? xs_kernel_layout_find(noting->launch.function)
		     : NULL;
	return !kernel || xs_relaxed(&kernel->launches) < FIRST_LAUNCHES;
}

static void collect_params(void *const *params,
			   const struct xs_kernel_layout *layout,
			   struct xs_live_addresses *found)
{
	for (unsigned i = 0; i < layout->count; i++) {
		const struct xs_kernel_words *words = &layout->words[i];

		xs_live_memory_collect((const char *)params[words->param] +
					   words->first_bytes,
				       words->count, found);
	}
}

/* `extra` has the address and the size of a buffer, of which the driver reads
 * `most` bytes: the size may be a larger one. */
static bool collect_extra(void *const *extra, size_t most,
			  struct xs_live_addresses *found)
{
	const void *buffer = NULL;
	size_t bytes = 0;

	for (unsigned i = 0; i < MOST_EXTRA && extra[i] != CU_LAUNCH_PARAM_END;
	     i += 2) {
		if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[i + 1];
		else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			bytes = *(const size_t *)extra[i + 1];
	}
	if (!buffer)
		return false;
	xs_live_memory_collect(buffer, (bytes < most ? bytes : most) / 8,
			       found);
	return true;
}

/* Returns enum xs_pointers_known. layout: NULL if the kernel is unknown. */
static xs_u16 collect(const struct noting *noting,
		      const struct xs_kernel_layout *layout,
		      struct xs_live_addresses *found)
{
	const struct xs_launch_arguments *launch = &noting->launch;
	const bool is_known = layout && layout->known;

	if (launch->extra) {
		if (!collect_extra(
			launch->extra,
			is_known ? layout->bytes : XS_PARAM_INFO_MOST, found))
			return XS_POINTERS_NO_LAYOUT;
	} else if (is_known && (launch->params || !layout->count)) {
		collect_params(launch->params, layout, found);
	} else {
		return XS_POINTERS_NO_LAYOUT;
	}
	return (xs_u16)found->known;
}

/* Writes at least one record. If there is no space, only this is lost: a launch
 * with fewer addresses than it says is unknown. */
static void write_records(const struct noting *noting, xs_u16 known,
			  const struct xs_live_addresses *found)
{
	const struct xs_span *span = noting->span;
	size_t at = 0;

	do {
		struct xs_rec_pointers record = {
		    XS_RECORD(pointers), .correlation = span->correlation,
		    .known = known, .count = (xs_u16)found->count};
		const size_t left = found->count - at;

		record.address0 = left > 0 ? found->addresses[at] : 0;
		record.address1 = left > 1 ? found->addresses[at + 1] : 0;
		record.address2 = left > 2 ? found->addresses[at + 2] : 0;
		record.address3 = left > 3 ? found->addresses[at + 3] : 0;
		if (xs_writer_timed(&noting->thread->writer, &record,
				    span->site, span->start_ns, span->end_ns))
			return;
		at += 4;
	} while (at < found->count);
}

/* Returns whether pinned memory that a launch is given holds addresses. */
static bool leads_to_addresses(const struct xs_live_addresses *given)
{
	unsigned pinned = 0;
	bool leads = false;

	for (size_t i = 0; i < given->count && pinned <= MOST_PINNED; i++)
		pinned += xs_table_search_pinned(given->addresses[i], &leads);
	return leads || pinned > MOST_PINNED;
}

/* Returns what is known of a kernel that reads on from an address: pieces that
 * cuMemMap() mapped at adjacent addresses are one memory. */
static enum xs_pointers_known known_behind(uint64_t address)
{
	for (unsigned i = 0; i < MOST_PIECES; i++) {
		enum xs_live_kind kind;
		const uint64_t bytes = xs_live_memory_find(address, &kind);

		if (bytes && kind == XS_LIVE_ALIAS)
			return XS_POINTERS_ALIAS;
		if (!bytes || kind != XS_LIVE_MAPPED)
			return XS_POINTERS_ALL;
		if (xs_address_tables_overlap(address, address + bytes))
			return XS_POINTERS_TABLE;
		address += bytes;
	}
	return XS_POINTERS_TOO_MANY;
}

static xs_u16 known_of_pieces(const struct xs_live_addresses *given)
{
	enum xs_pointers_known known = XS_POINTERS_ALL;

	if (xs_address_tables_are_any() || atomic_load(&has_aliases))
		for (size_t i = 0; i < given->count && known == XS_POINTERS_ALL;
		     i++)
			known = known_behind(given->addresses[i]);
	return (xs_u16)known;
}

static void note_launch(void *data)
{
	const struct noting *noting = data;
	uint64_t addresses[MOST_ADDRESSES];
	struct xs_live_addresses found = {.addresses = addresses,
					  .room = MOST_ADDRESSES,
					  .known = XS_POINTERS_ALL};
	const void *function = noting->launch.function;
	const struct xs_kernel_layout *layout = NULL;
	struct xs_kernel *kernel =
	    function ? xs_kernel_layout_get(function, &layout) : NULL;
	xs_u16 known;

	if (kernel && atomic_load(&kernel->launches) < FIRST_LAUNCHES)
		atomic_fetch_add(&kernel->launches, 1);
	known = collect(noting, layout, &found);
	if (leads_to_addresses(&found) && known == XS_POINTERS_ALL)
		known = XS_POINTERS_TABLE;
	if (known == XS_POINTERS_ALL)
		known = known_of_pieces(&found);
	write_records(noting, known, &found);
}

/* Memory that is mapped a second time has two addresses, or had: its contents
 * move with it. */
static void note_mapping(uint64_t handle, uint64_t address)
{
	const uint64_t before = xs_mapped_handles_put(handle, address, false);

	if (before) {
		xs_live_memory_set_alias(before);
		atomic_store(&has_aliases, xs_live_memory_set_alias(address));
	}
}

static enum xs_live_kind kind_of(enum xs_function fn)
{
	if (fn == XS_FN_cudaMallocManaged || fn == XS_FN_cuMemAllocManaged)
		return XS_LIVE_MANAGED;
	if (fn == XS_FN_cuMemMap)
		return XS_LIVE_MAPPED;
	return xs_functions[fn].call_class == XS_CALL_ALLOC_DEVICE
		   ? XS_LIVE_DEVICE
		   : XS_LIVE_HOST;
}

static void note_memory(void *data)
{
	const struct noting *noting = data;
	const struct xs_event *event = noting->event;

	if (!xs_call_allocates(xs_functions[noting->fn].call_class)) {
		xs_live_memory_remove(event->dst, noting->span->start_ns);
		return;
	}
	xs_table_search_outdate(event->dst, event->bytes);
	xs_address_tables_cut(event->dst, event->dst + event->bytes);
	xs_live_memory_add(event->dst, event->bytes, noting->span->end_ns,
			   kind_of(noting->fn));
	if (noting->fn == XS_FN_cuMemMap && event->src)
		note_mapping(event->src, event->dst);
}

/* A texture or surface object is a number that kernels are given: it takes the
 * place of an address. */
static void note_object(void *data)
{
	const struct noting *noting = data;
	const struct xs_event *event = noting->event;

	switch ((int)noting->fn) {
	case XS_FN_cudaCreateTextureObject:
	case XS_FN_cudaCreateSurfaceObject:
	case XS_FN_cuTexObjectCreate:
	case XS_FN_cuSurfObjectCreate:
		xs_live_memory_add(event->dst, 1, noting->span->end_ns,
				   XS_LIVE_OBJECT);
		break;
	case XS_FN_cuMemImportFromShareableHandle:
		xs_mapped_handles_put(event->src, XS_MAPPED_ELSEWHERE, true);
		break;
	case XS_FN_cuMemRetainAllocationHandle:
		xs_mapped_handles_put(event->src, event->dst, true);
		break;
	case XS_FN_cuMemRelease:
		xs_mapped_handles_drop(event->src);
		break;
	default:
		xs_live_memory_remove(event->src, noting->span->start_ns);
	}
}

XS_HOT void xs_launch_pointers_copy(const struct xs_event *event,
				    const struct xs_span *span)
{
	xs_table_search_copy(event, is_wanted_now(span->start_ns));
}

/* The device's modules are gone, too. With several devices, it is not known
 * whose memory ends. */
static void note_reset(void *data)
{
	const struct noting *noting = data;
	const uint64_t devices = xs_gpu_records_devices();

	xs_kernel_layout_outdate();
	if (devices & (devices - 1))
		return;
	xs_live_memory_remove_all(noting->span->start_ns);
	xs_address_tables_cut(0, UINT64_MAX);
}

void xs_launch_pointers_nested(struct xs_thread *thread, enum xs_function fn,
			       const void *arguments)
{
	struct xs_launch_arguments launch;

	if (xs_launch_arguments_read(fn, arguments, &launch))
		thread->launched = launch.function;
}

XS_HOT void xs_launch_pointers_launch(struct xs_thread *thread,
				      enum xs_function fn,
				      const void *arguments,
				      const struct xs_span *span)
{
	struct noting noting = {.thread = thread, .span = span};

	if (!xs_launch_arguments_read(fn, arguments, &noting.launch))
		return;
	if (!noting.launch.function)
		noting.launch.function = thread->launched;
	if (is_wanted(&noting))
		xs_guard_run(note_launch, &noting);
}

void xs_launch_pointers_note(struct xs_thread *thread,
			     const struct xs_ended_call *call,
			     const struct xs_event *event,
			     const struct xs_span *span)
{
	const enum xs_call_class call_class =
	    (enum xs_call_class)xs_functions[call->fn].call_class;
	struct noting noting = {
	    .thread = thread, .span = span, .event = event, .fn = call->fn};

	if (call_class == XS_CALL_LAUNCH) {
		xs_launch_pointers_launch(thread, call->fn, call->arguments,
					  span);
	} else if (xs_call_allocates(call_class) || xs_call_frees(call_class)) {
		xs_guard_run(note_memory, &noting);
	} else if (call_class == XS_CALL_COPY ||
		   call_class == XS_CALL_COPY_ASYNC) {
		xs_launch_pointers_copy(event, span);
	} else if (call_class == XS_CALL_RESET) {
		xs_guard_run(note_reset, &noting);
	} else if (call_class == XS_CALL_CAPTURE_BEGIN ||
		   call_class == XS_CALL_CAPTURE_END) {
		xs_table_search_capture(call_class == XS_CALL_CAPTURE_BEGIN);
	} else if (call_class == XS_CALL_OTHER) {
		xs_guard_run(note_object, &noting);
	}
}

/* SPDX-License-Identifier: MIT */
/* Decodes the records that define table entries. */
#include "analyzer/read/decode.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

static void add_string(struct xs_decoder *d, const struct xs_rec_string *rec)
{
	const char *text = (const char *)(rec + 1);
	size_t bytes = strnlen(text, rec->words * 4u - sizeof(*rec));
	uint32_t index;
	char *grown;
	struct xs_text_piece *piece =
	    xs_decoder_element(d, &d->strings, rec->id, &index);

	if (rec->id >= d->trace->string_id_end && rec->id < d->id_limit)
		d->trace->string_id_end = rec->id + 1;
	if (index == 0) /* stays the empty string */
		return;
	if (rec->part == 0)
		piece->bytes = 0;
	grown = xs_realloc(piece->text, piece->bytes + bytes + 1);
	memcpy(grown + piece->bytes, text, bytes);
	piece->text = grown;
	piece->bytes += bytes;
	grown[piece->bytes] = '\0';
}

static void add_info(struct xs_decoder *d, const struct xs_rec_info *rec)
{
	struct xs_trace *trace = d->trace;
	const char *text = (const char *)(rec + 1);
	size_t bytes = strnlen(text, rec->words * 4u - sizeof(*rec));
	const char *equals = memchr(text, '=', bytes);
	struct xs_info *info;

	XS_ARRAY_ADD(trace->infos, trace->info_count, (struct xs_info){0});
	info = &trace->infos[trace->info_count - 1];
	info->key = equals ? xs_strndup(text, (size_t)(equals - text))
			   : xs_strdup("note");
	info->value =
	    equals ? xs_strndup(equals + 1, bytes - (size_t)(equals + 1 - text))
		   : xs_strndup(text, bytes);
}

static void add_device(struct xs_decoder *d, const struct xs_rec_device *rec)
{
	struct xs_trace *trace = d->trace;
	const char *text = (const char *)(rec + 1);
	size_t bytes = strnlen(text, rec->words * 4u - sizeof(*rec));
	const struct xs_device device = {(uint32_t)d->piece_count, *rec};
	const struct xs_text_piece name = {xs_strndup(text, bytes), bytes};

	/* the name has no id: it is added to the strings without a slot */
	XS_ARRAY_ADD(trace->devices, trace->device_count, device);
	XS_ARRAY_ADD(d->pieces, d->piece_count, name);
}

static void add_queue(struct xs_decoder *d, const struct xs_rec_queue *rec)
{
	uint32_t index;
	struct xs_queue *queue =
	    xs_decoder_element(d, &d->queues, rec->queue, &index);

	*queue = (struct xs_queue){.device = rec->device,
				   .queue_kind = rec->queue_kind,
				   .context = rec->context,
				   .stream = rec->stream};
}

static void add_module(struct xs_decoder *d, const struct xs_rec_module *rec)
{
	uint32_t path, build_id, index;
	struct xs_module *module;

	xs_decoder_element(d, &d->strings, rec->path, &path);
	xs_decoder_element(d, &d->strings, rec->build_id, &build_id);
	module = xs_decoder_element(d, &d->modules, rec->module, &index);
	*module = (struct xs_module){.path = path, .build_id = build_id};
}

static void add_site(struct xs_decoder *d, const struct xs_rec_site *rec)
{
	struct xs_site new = {.module = XS_NONE,
			      .caller = XS_NONE,
			      .offset = rec->offset,
			      .id = rec->site,
			      .call_class = (uint8_t)rec->call_class};
	struct xs_site *site;
	uint32_t index;

	xs_decoder_element(d, &d->strings, rec->function, &new.function);
	if (rec->module != XS_NONE)
		xs_decoder_element(d, &d->modules, rec->module, &new.module);
	if (rec->caller != 0)
		xs_decoder_element(d, &d->sites, rec->caller, &new.caller);
	site = xs_decoder_element(d, &d->sites, rec->site, &index);
	*site = new;
}

static void add_shape(struct xs_decoder *d, const struct xs_rec_shape *rec)
{
	struct xs_shape *shape;
	uint32_t name, index;

	xs_decoder_element(d, &d->strings, rec->name, &name);
	shape = xs_decoder_element(d, &d->shapes, rec->shape, &index);
	*shape = (struct xs_shape){
	    .name = name,
	    .grid = {rec->grid_x, rec->grid_y, rec->grid_z},
	    .block = {rec->block_x, rec->block_y, rec->block_z},
	    .registers = rec->registers,
	    .shared_static_bytes = rec->shared_static_bytes,
	    .shared_dynamic_bytes = rec->shared_dynamic_bytes,
	};
}

static void add_counters(struct xs_decoder *d,
			 const struct xs_rec_counters *rec)
{
	struct xs_trace *trace = d->trace;
	uint32_t name;

	xs_decoder_element(d, &d->strings, rec->name, &name);
	const struct xs_counter counter = {
	    .name = name,
	    .grid = {rec->grid_x, rec->grid_y, rec->grid_z},
	    .block = {rec->block_x, rec->block_y, rec->block_z},
	    .correlation = rec->correlation,
	    .launch = rec->launch,
	    .sectors_read = rec->sectors_read,
	    .sectors_written = rec->sectors_written,
	    .requests_read = rec->requests_read,
	    .requests_written = rec->requests_written,
	    .host_sectors_read = rec->host_sectors_read,
	    .host_sectors_written = rec->host_sectors_written,
	    .instructions = rec->instructions,
	    .l1_fills = XS_UNCOUNTED,
	    .waiting_cycles = XS_UNCOUNTED,
	    .warp_cycles = XS_UNCOUNTED,
	    .stores = XS_UNCOUNTED,
	    .store_sectors = XS_UNCOUNTED,
	};

	XS_ARRAY_ADD(trace->counters, trace->counter_count, counter);
}

/* Returns the last launch counted, NULL if it is another one. */
static struct xs_counter *counter_of(struct xs_trace *trace,
				     uint32_t correlation)
{
	struct xs_counter *last;

	if (!trace->counter_count)
		return NULL;
	last = &trace->counters[trace->counter_count - 1];
	return last->correlation == correlation ? last : NULL;
}

/* Both clocks run alike, unless one is set. */
static void add_clock(struct xs_decoder *d, const struct xs_rec_clock *rec)
{
	const int64_t ahead_ns =
	    (int64_t)(rec->realtime_ns - rec->monotonic_ns);
	const int64_t by_ns =
	    (int64_t)((uint64_t)ahead_ns - (uint64_t)d->clock_ahead_ns);
	const uint64_t set_ns = by_ns < 0 ? -(uint64_t)by_ns : (uint64_t)by_ns;

	if (!d->clock_ahead_ns)
		d->clock_ahead_ns = ahead_ns;
	else if (set_ns > d->trace->clock_set_ns)
		d->trace->clock_set_ns = set_ns;
}

static void add_fills(struct xs_decoder *d, const struct xs_rec_fills *rec)
{
	struct xs_counter *of = counter_of(d->trace, rec->correlation);

	if (of)
		of->l1_fills = rec->sectors;
}

static void add_accesses(struct xs_decoder *d,
			 const struct xs_rec_accesses *rec)
{
	struct xs_counter *of = counter_of(d->trace, rec->correlation);

	if (!of)
		return;
	of->waiting_cycles = rec->waiting_cycles;
	of->warp_cycles = rec->warp_cycles;
	of->stores = rec->stores;
	of->store_sectors = rec->store_sectors;
}

static void add_tally(struct xs_decoder *d, const struct xs_rec_tally *rec)
{
	struct xs_trace *trace = d->trace;
	struct xs_tally new = {.size = rec->size,
			       .direction = rec->direction,
			       .calls = rec->calls,
			       .bytes = rec->bytes};

	xs_decoder_element(d, &d->sites, rec->site, &new.site);
	XS_ARRAY_ADD(trace->tallies, trace->tally_count, new);
}

static void add_unhooked(struct xs_decoder *d,
			 const struct xs_rec_unhooked *rec)
{
	uint32_t site;

	xs_decoder_element(d, &d->sites, rec->site, &site);
	d->trace->sites[site].unhooked = true;
}

/* How long calls were counted since the last window, and seen by hooks alone.
 */
static void follow_counting(struct xs_decoder *d,
			    const struct xs_rec_detail *rec)
{
	struct xs_trace *trace = d->trace;

	if (rec->detail == XS_CAPTURE_RECORDED)
		trace->counted_ns = 0;
	else if (d->counted_from_ns && rec->time_ns > d->counted_from_ns)
		trace->counted_ns += rec->time_ns - d->counted_from_ns;
	d->counted_from_ns = rec->detail == XS_CAPTURE_COUNTED ||
				     rec->detail == XS_CAPTURE_HOOKED
				 ? rec->time_ns
				 : 0;
	if (rec->detail == XS_CAPTURE_HOOKED && !trace->hooked_from_ns)
		trace->hooked_from_ns = rec->time_ns;
}

/* One writer wrote all detail records, in order. */
static void add_detail(struct xs_decoder *d, const struct xs_rec_detail *rec)
{
	struct xs_trace *trace = d->trace;
	struct xs_window *windows = trace->windows;
	bool open = trace->window_count > 0 &&
		    windows[trace->window_count - 1].end_ns == UINT64_MAX;

	if (d->ignored_from_ns && rec->time_ns > d->ignored_from_ns)
		trace->ignored_ns += rec->time_ns - d->ignored_from_ns;
	d->ignored_from_ns =
	    rec->detail == XS_CAPTURE_IGNORED ? rec->time_ns : 0;
	if (d->ignored_from_ns && !trace->window_count)
		d->ignored_from_ns = trace->header.start_realtime_ns;
	follow_counting(d, rec);
	if (rec->detail != XS_CAPTURE_RECORDED) {
		trace->begins_counted |= trace->window_count == 0;
		if (open)
			windows[trace->window_count - 1].end_ns = rec->time_ns;
		return;
	}
	XS_ARRAY_ADD(trace->windows, trace->window_count,
		     (struct xs_window){rec->time_ns, UINT64_MAX});
}

static void add_source(struct xs_decoder *d, const struct xs_rec_source *rec)
{
	struct xs_source_line line = {.line = rec->line,
				      .outer = rec->outer != 0};

	xs_decoder_element(d, &d->sites, rec->site, &line.site);
	xs_decoder_element(d, &d->strings, rec->symbol, &line.symbol);
	xs_decoder_element(d, &d->strings, rec->file, &line.file);
	XS_ARRAY_ADD(d->sources, d->source_count, line);
}

static void add_context(struct xs_decoder *d, const struct xs_rec_context *rec)
{
	struct xs_trace *trace = d->trace;

	if (trace->context_ns == 0 || rec->time_ns < trace->context_ns) {
		trace->context_ns = rec->time_ns;
		trace->context_tid = rec->tid;
	}
}

/* Clocks and thread names are only for readers of a dump. */
void xs_decoder_add_entry(struct xs_decoder *d, const void *record)
{
#define CASE(kind)                                                             \
	case XS_REC_##kind:                                                    \
		add_##kind(d, record);                                         \
		break;
	switch (*(const xs_u8 *)record) {
		CASE(string)
		CASE(info)
		CASE(device)
		CASE(queue)
		CASE(module)
		CASE(site)
		CASE(source)
		CASE(shape)
		CASE(counters)
		CASE(fills)
		CASE(clock)
		CASE(accesses)
		CASE(tally)
		CASE(unhooked)
		CASE(detail)
		CASE(context)
	}
#undef CASE
}

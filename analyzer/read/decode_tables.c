/* SPDX-License-Identifier: MIT */
#include "analyzer/read/decode.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Ids count up from 1, so tables by id stay small. A damaged id must not cost
 * memory: the limit is this value, or one id for every 8 bytes of the file.
 */
#define ID_LIMIT    (1u << 20)
#define DEFECTS_MAX 64

static const struct xs_site new_site = {.module = XS_NONE, .caller = XS_NONE};
static const struct xs_module new_module;
static const struct xs_shape new_shape;
static const struct xs_queue new_queue;
static const struct xs_text_piece new_piece;

void xs_decoder_defect(struct xs_decoder *d, uint64_t at, const char *text)
{
	struct xs_trace *trace = d->trace;
	struct xs_defect defect = {.offset = at};

	if (trace->defect_count > DEFECTS_MAX)
		return;
	if (trace->defect_count == DEFECTS_MAX)
		text = "more defects follow; they are not listed";
	snprintf(defect.text, sizeof(defect.text), "%s", text);
	XS_ARRAY_ADD(trace->defects, trace->defect_count, defect);
}

/* Returns the slot of an id. An id above the limit is treated as id 0, the
 * unknown. */
static uint32_t *table_slot(struct xs_decoder *d, struct xs_id_table *table,
			    uint32_t id)
{
	if (id > d->id_limit) {
		xs_decoder_defect(
		    d, d->at, "the id is damaged; it is treated as unknown");
		id = 0;
	}
	if (id >= table->room) {
		size_t room = 2 * (size_t)id + 64;
		uint32_t *slots =
		    xs_realloc(table->slots, room * sizeof(*slots));

		memset(slots + table->room, 0,
		       (room - table->room) * sizeof(*slots));
		table->slots = slots;
		table->room = room;
	}
	return &table->slots[id];
}

void *xs_decoder_element(struct xs_decoder *d, struct xs_id_table *table,
			 uint32_t id, uint32_t *index)
{
	uint32_t *slot = table_slot(d, table, id);
	char *items;

	memcpy(&items, table->items_at, sizeof(items));
	if (*slot == 0) {
		items = xs_array_grow(items, *table->count, table->item_bytes);
		memcpy(table->items_at, &items, sizeof(items));
		memcpy(items + *table->count * table->item_bytes,
		       table->initial, table->item_bytes);
		*slot = (uint32_t)++ * table->count;
	}
	*index = *slot - 1;
	return items + (*slot - 1) * table->item_bytes;
}

static void table_init(struct xs_id_table *table, void *items_at, size_t *count,
		       size_t item_bytes, const void *initial)
{
	*table = (struct xs_id_table){.items_at = items_at,
				      .count = count,
				      .item_bytes = item_bytes,
				      .initial = initial};
}

void xs_decoder_start_tables(struct xs_decoder *d, uint64_t source_bytes)
{
	struct xs_trace *trace = d->trace;
	uint32_t index;

	d->id_limit = ID_LIMIT;
	if (source_bytes / 8 > ID_LIMIT)
		d->id_limit = source_bytes / 8 < XS_NONE
				  ? (uint32_t)(source_bytes / 8)
				  : XS_NONE - 1;
	table_init(&d->strings, &d->pieces, &d->piece_count, sizeof(*d->pieces),
		   &new_piece);
	table_init(&d->modules, &trace->modules, &trace->module_count,
		   sizeof(*trace->modules), &new_module);
	table_init(&d->sites, &trace->sites, &trace->site_count,
		   sizeof(*trace->sites), &new_site);
	table_init(&d->shapes, &trace->shapes, &trace->shape_count,
		   sizeof(*trace->shapes), &new_shape);
	table_init(&d->queues, &trace->queues, &trace->queue_count,
		   sizeof(*trace->queues), &new_queue);
	/* string 0 is the empty string */
	xs_decoder_element(d, &d->strings, 0, &index);
}

static void finish_strings(struct xs_decoder *d)
{
	char **strings = xs_calloc(d->piece_count, sizeof(*strings));

	d->trace->strings = strings;
	d->trace->string_count = d->piece_count;
	for (size_t i = 0; i < d->piece_count; i++) {
		strings[i] = d->pieces[i].text;
		d->pieces[i].text = NULL;
		if (!strings[i])
			strings[i] = xs_calloc(1, 1);
	}
}

/* String 0 means none. */
static char *text_of(const struct xs_trace *trace, uint32_t string)
{
	return string ? trace->strings[string] : NULL;
}

/* Sites share the trace's own strings: a copy of a long text for each site
 * could exhaust memory. */
static void finish_source(struct xs_trace *trace,
			  const struct xs_source_line *source)
{
	struct xs_site *site = source->outer
				   ? xs_trace_add_outer(trace, source->site)
				   : &trace->sites[source->site];

	site->symbol = text_of(trace, source->symbol);
	site->file = text_of(trace, source->file);
	site->line = source->line;
	site->has_source = true;
}

void xs_decoder_finish_tables(struct xs_decoder *d)
{
	finish_strings(d);
	for (size_t i = 0; i < d->source_count; i++)
		finish_source(d->trace, &d->sources[i]);
}

void xs_decoder_release(struct xs_decoder *d)
{
	for (size_t i = 0; i < d->piece_count; i++)
		free(d->pieces[i].text);
	free(d->pieces);
	free(d->sources);
	free(d->strings.slots);
	free(d->modules.slots);
	free(d->sites.slots);
	free(d->shapes.slots);
	free(d->queues.slots);
	xs_survey_release(&d->survey);
	xs_distinct_map_release(&d->skipped_calls);
	free(d->skipped_ops);
	xs_again_release(&d->again);
}

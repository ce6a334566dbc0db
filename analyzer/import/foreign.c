/* SPDX-License-Identifier: MIT */
#include "analyzer/import/foreign.h"

#include "analyzer/util/sort.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xs_foreign_init(struct xs_foreign *f)
{
	*f = (struct xs_foreign){0};
	xs_distinct_find(&f->strings, "", 0);
}

void xs_foreign_release(struct xs_foreign *f)
{
	xs_distinct_release(&f->strings);
	xs_distinct_release(&f->sites);
	xs_distinct_release(&f->shapes);
	xs_distinct_release(&f->queues);
	free(f->calls);
	free(f->ops);
	free(f->details);
	free(f->ranges);
	free(f->devices);
	free(f->device_names);
	free(f->infos);
}

void xs_foreign_add_string(struct xs_foreign *f, const char *text,
			   uint32_t *number)
{
	*number = xs_distinct_find(&f->strings, text ? text : "",
				   text ? strlen(text) : 0);
}

void xs_foreign_add_site(struct xs_foreign *f,
			 const struct xs_foreign_site *site, uint32_t *number)
{
	*number = xs_distinct_find(&f->sites, site, sizeof(*site));
}

void xs_foreign_add_shape(struct xs_foreign *f, const char *name,
			  struct xs_rec_shape *shape, uint32_t *number)
{
	xs_foreign_add_string(f, name, &shape->name);
	*number = xs_distinct_find(&f->shapes, shape, sizeof(*shape));
}

uint16_t xs_foreign_add_queue(struct xs_foreign *f,
			      const struct xs_foreign_queue *queue)
{
	return (uint16_t)xs_distinct_find(&f->queues, queue, sizeof(*queue));
}

void xs_foreign_add_driver(struct xs_foreign *f, uint64_t version)
{
	if (version)
		xs_foreign_add_info(f, "driver=%" PRIu64 ".%" PRIu64,
				    version / 1000, version % 1000 / 10);
}

uint8_t xs_foreign_memory(const char *text)
{
	static const struct {
		const char *name;
		uint8_t memory;
	} kinds[] = {{"pageable", XS_MEM_PAGEABLE},
		     {"pinned", XS_MEM_PINNED},
		     {"device", XS_MEM_DEVICE},
		     {"array", XS_MEM_ARRAY},
		     {"managed", XS_MEM_MANAGED}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncasecmp(text, kinds[i].name, strlen(kinds[i].name)) ==
		    0)
			return kinds[i].memory;
	return XS_MEM_UNKNOWN;
}

uint64_t xs_foreign_stream(const struct xs_foreign *f, uint16_t queue)
{
	const struct xs_foreign_queue *q = xs_distinct_value(&f->queues, queue);

	return q->queue_kind == XS_QUEUE_DEFAULT
		   ? 0
		   : (uint64_t)q->context << 32 | q->stream;
}

uint16_t xs_foreign_peer(const struct xs_foreign *f,
			 const struct xs_foreign_op *op)
{
	const struct xs_foreign_queue *q =
	    xs_distinct_value(&f->queues, op->queue);

	return (uint16_t)(op->peer ? op->peer - 1u : q->device);
}

static bool is_host(uint8_t memory)
{
	return memory == XS_MEM_PAGEABLE || memory == XS_MEM_PINNED;
}

static bool is_device(uint8_t memory)
{
	return memory == XS_MEM_DEVICE || memory == XS_MEM_ARRAY;
}

/* Whether a copy's kinds of memory are not those of its direction. */
static bool is_contradiction(const struct xs_foreign_op *op)
{
	const bool from_host =
	    op->direction == XS_DIR_H2D || op->direction == XS_DIR_H2H;
	const bool to_host =
	    op->direction == XS_DIR_D2H || op->direction == XS_DIR_H2H;

	return op->direction != XS_DIR_UNKNOWN &&
	       ((from_host ? is_device : is_host)(op->src_memory) ||
		(to_host ? is_device : is_host)(op->dst_memory));
}

void xs_foreign_add_op(struct xs_foreign *f, const struct xs_foreign_op *op)
{
	if (op->kind == XS_REC_copy && is_contradiction(op)) {
		f->left_out++;
		return;
	}
	XS_ARRAY_ADD(f->ops, f->op_count, *op);
}

/* Appends a call, a detail or a range to its list. */
#define ADD(item)                                                              \
	void xs_foreign_add_##item(struct xs_foreign *f,                       \
				   const struct xs_foreign_##item *item)       \
	{                                                                      \
		XS_ARRAY_ADD(f->item##s, f->item##_count, *item);              \
	}
ADD(call)
ADD(detail)
ADD(range)
#undef ADD

void xs_foreign_add_device(struct xs_foreign *f,
			   const struct xs_rec_device *device, const char *name)
{
	size_t names = f->device_count;
	uint32_t string;

	xs_foreign_add_string(f, name, &string);
	XS_ARRAY_ADD(f->device_names, names, string);
	XS_ARRAY_ADD(f->devices, f->device_count, *device);
}

void xs_foreign_add_info(struct xs_foreign *f, const char *format, ...)
{
	char text[XS_RECORD_MAX_BYTES - sizeof(struct xs_rec_info)];
	uint32_t string;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	xs_foreign_add_string(f, text, &string);
	XS_ARRAY_ADD(f->infos, f->info_count, string);
}

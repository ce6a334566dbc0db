/* SPDX-License-Identifier: MIT */
#include "report/timeline/texts.h"

#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"
#include "report/build/build.h"
#include "report/result/source_text.h"

#include <stdlib.h>
#include <string.h>

/* Call sites whose source line is read. */
#define SITES_QUOTED 256

/* Adds a name that the arena owns. Returns its number + 1. */
static uint32_t add(struct xs_timeline_texts *texts, const char *name)
{
	struct xs_result_timeline *out = texts->out;

	out->names[out->name_count++] = name ? name : "?";
	return (uint32_t)out->name_count;
}

uint32_t xs_timeline_static_name(struct xs_timeline_texts *texts,
				 const char *text)
{
	size_t i = 0;

	while (i < XS_TIMELINE_STATICS - 1 && texts->statics[i].text &&
	       strcmp(texts->statics[i].text, text) != 0)
		i++;
	if (!texts->statics[i].text)
		texts->statics[i].number = add(texts, text);
	texts->statics[i].text = text;
	return texts->statics[i].number - 1;
}

static uint32_t name_of_string(struct xs_timeline_texts *texts, uint32_t string)
{
	if (!texts->strings[string])
		texts->strings[string] =
		    add(texts,
			xs_build_string(texts->result, texts->trace, string));
	return texts->strings[string] - 1;
}

uint32_t xs_timeline_call_name(struct xs_timeline_texts *texts, uint32_t site)
{
	const struct xs_trace *trace = texts->trace;
	uint32_t string = 0;

	if (site < trace->site_count &&
	    trace->sites[site].function < trace->string_count)
		string = trace->sites[site].function;
	return string ? name_of_string(texts, string)
		      : xs_timeline_static_name(texts, "a call");
}

/* "halo exchange", or with its domain "solver: halo exchange" */
static uint32_t add_range(struct xs_timeline_texts *texts,
			  const struct xs_nvtx *range)
{
	const uint32_t name = range->name
				  ? name_of_string(texts, range->name)
				  : xs_timeline_static_name(texts, "a range");

	if (!range->domain)
		return name;
	return add(texts, xs_print(&texts->result->arena, "%s: %s",
				   xs_build_string(texts->result, texts->trace,
						   range->domain),
				   texts->out->names[name])) -
	       1;
}

/* Ranges of one domain and name have one number. */
static void number_ranges(struct xs_timeline_texts *texts)
{
	const struct xs_trace *trace = texts->trace;
	const size_t count = trace->nvtx_count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){
		    (uint64_t)trace->nvtx[i].domain << 32 | trace->nvtx[i].name,
		    (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++)
		texts->ranges[keys[i].index] =
		    i && keys[i].key == keys[i - 1].key
			? texts->ranges[keys[i - 1].index]
			: add_range(texts, &trace->nvtx[keys[i].index]);
	free(keys);
}

void xs_timeline_texts_init(struct xs_timeline_texts *texts,
			    struct xs_result *result,
			    const struct xs_trace *trace,
			    struct xs_result_timeline *out)
{
	struct xs_arena *arena = &result->arena;
	const size_t names = 2 * trace->string_count + trace->nvtx_count +
			     sizeof(texts->copies) / sizeof(uint32_t) +
			     XS_TIMELINE_STATICS;

	*texts = (struct xs_timeline_texts){
	    .result = result, .trace = trace, .out = out};
	texts->strings =
	    xs_arena_alloc(arena, trace->string_count + 1, sizeof(uint32_t));
	texts->kernels =
	    xs_arena_alloc(arena, trace->string_count + 1, sizeof(uint32_t));
	texts->sites =
	    xs_arena_alloc(arena, trace->site_count + 1, sizeof(uint32_t));
	texts->ranges =
	    xs_arena_alloc(arena, trace->nvtx_count + 1, sizeof(uint32_t));
	XS_ARENA_NEW(arena, out->names, names);
	XS_ARENA_NEW(arena, out->sites, trace->site_count + 1);
	xs_build_site(result, trace, XS_NONE, &out->sites[out->site_count++]);
	number_ranges(texts);
}

static uint32_t add_kernel(struct xs_timeline_texts *texts, uint32_t string)
{
	char *name = xs_symbols_demangle(texts->trace->strings[string]);
	uint32_t number = add(
	    texts, name ? xs_arena_copy(&texts->result->arena, name) : NULL);

	free(name);
	return number;
}

uint32_t xs_timeline_kernel_name(struct xs_timeline_texts *texts,
				 uint32_t shape)
{
	const struct xs_trace *trace = texts->trace;
	uint32_t string;

	if (shape >= trace->shape_count ||
	    trace->shapes[shape].name >= trace->string_count)
		return xs_timeline_static_name(texts, "kernel");
	string = trace->shapes[shape].name;
	if (!texts->kernels[string])
		texts->kernels[string] = add_kernel(texts, string);
	return texts->kernels[string] - 1;
}

uint32_t xs_timeline_copy_name(struct xs_timeline_texts *texts, unsigned kind,
			       unsigned src_memory, unsigned dst_memory)
{
	static const char *const kinds[XS_OP_KINDS] = {
	    "copy in", "copy out", "copy on the device",  "copy on the host",
	    "set",     "kernel",   "copy between devices"};
	const unsigned src = src_memory % XS_TIMELINE_MEMORIES;
	const unsigned dst = dst_memory % XS_TIMELINE_MEMORIES;
	const char *host =
	    xs_name_memory(kind == XS_OP_D2H || kind == XS_OP_SET ? dst : src);
	uint32_t *number = &texts->copies[kind % XS_OP_KINDS][src][dst];

	if (!*number)
		*number =
		    add(texts, xs_print(&texts->result->arena, "%s%s%s",
					kinds[kind % XS_OP_KINDS],
					host ? ", " : "", host ? host : ""));
	return *number - 1;
}

uint32_t xs_timeline_site(struct xs_timeline_texts *texts, uint32_t site)
{
	struct xs_result_timeline *out = texts->out;
	struct xs_result_site *added;

	if (site >= texts->trace->site_count)
		return 0;
	if (texts->sites[site])
		return texts->sites[site] - 1;
	added = &out->sites[out->site_count++];
	xs_build_site(texts->result, texts->trace, site, added);
	if (added->file && out->site_count <= SITES_QUOTED)
		added->text = xs_source_text(&texts->result->arena, added->file,
					     added->line, texts->trace->end_ns);
	texts->sites[site] = (uint32_t)out->site_count;
	return texts->sites[site] - 1;
}

/* SPDX-License-Identifier: MIT */
/* Numbers the names and call sites of a timeline, from 0 on. */
#pragma once

#include "analyzer/read/trace.h"
#include "report/result/result.h"
#include "report/result/timeline.h"

#define XS_TIMELINE_MEMORIES 6	/* enum xs_memory */
#define XS_TIMELINE_STATICS  32 /* different static texts, at most */

struct xs_timeline_texts {
	struct xs_result *result;
	const struct xs_trace *trace;
	struct xs_result_timeline *out;
	/* Number + 1 by index into the trace's strings, strings and sites; 0:
	 * none yet. The arena of the result owns them. */
	uint32_t *strings, *kernels, *sites;
	uint32_t *ranges; /* number by index into the trace's ranges */
	uint32_t copies[XS_OP_KINDS][XS_TIMELINE_MEMORIES]
		       [XS_TIMELINE_MEMORIES];
	struct {
		const char *text;
		uint32_t number; /* + 1 */
	} statics[XS_TIMELINE_STATICS];
};

/* Sets result, trace and out, and makes room. */
void xs_timeline_texts_init(struct xs_timeline_texts *texts,
			    struct xs_result *result,
			    const struct xs_trace *trace,
			    struct xs_result_timeline *out);

/* Return the number of a name: of the CUDA function called at a site, of a
 * kernel by its shape, of a copy or set by enum xs_op_kind and enum xs_memory,
 * of a static text. */
uint32_t xs_timeline_call_name(struct xs_timeline_texts *texts, uint32_t site);
uint32_t xs_timeline_kernel_name(struct xs_timeline_texts *texts,
				 uint32_t shape);
uint32_t xs_timeline_copy_name(struct xs_timeline_texts *texts, unsigned kind,
			       unsigned src_memory, unsigned dst_memory);
uint32_t xs_timeline_static_name(struct xs_timeline_texts *texts,
				 const char *text);

/* Returns the number of a call site, 0 if it is unknown. */
uint32_t xs_timeline_site(struct xs_timeline_texts *texts, uint32_t site);

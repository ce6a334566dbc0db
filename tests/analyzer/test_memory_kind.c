/* SPDX-License-Identifier: MIT */
/* Memory kinds of copies in traces without CUPTI, from the addresses of
 * allocations. */
#include "tests/unit.h"

#include "tests/analyzer/support.h"

#include <stdio.h>

/* Pinned memory from 0x10000 to 0x12000, device memory from 0x20000. */
#define HEAD                                                                   \
	"xferspy-text 1\nheader pid=1 state=1\n"                               \
	"chunk thread=1 base_ns=1000\ninfo text=\"rung=events\"\n"             \
	"string id=10 text=\"cudaMallocHost\"\n"                               \
	"string id=11 text=\"cudaMalloc\"\n"                                   \
	"string id=12 text=\"cudaMemcpy\"\n"                                   \
	"string id=13 text=\"cudaFreeHost\"\n"                                 \
	"site call_class=8 site=1 function=10\n"                               \
	"site call_class=7 site=2 function=11\n"                               \
	"site call_class=1 site=3 function=12\n"                               \
	"site call_class=11 site=4 function=13\n"                              \
	"queue queue=0 context=1 stream=1\n"                                   \
	"memcall site=1 start=10 duration=5 address=0x10000 bytes=8192\n"      \
	"memcall site=2 start=20 duration=5 address=0x20000 bytes=8192\n"

/* Reads a copy from src to dst, after `before` has happened. */
static struct xs_op copy_of(const char *before, unsigned src, unsigned dst,
			    unsigned direction)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 HEAD "%scopycall site=3 correlation=1 start=50 duration=40 "
		      "bytes=8 src=%u dst=%u direction=%u\n"
		      "chunk base_ns=1000\n"
		      "copy queue=0 correlation=1 start=60 duration=10 "
		      "bytes=8 direction=1 copies=1\n",
		 before, src, dst, direction);
	struct xs_trace *trace = read_text(text);
	assert_int_equal(trace->op_count, 1);
	struct xs_op op = trace->ops[0];
	xs_trace_free(trace);
	return op;
}

static void expect(unsigned src, unsigned memory)
{
	const struct xs_op op = copy_of("", src, 0x20000, 1);

	assert_int_equal(op.src_memory, memory);
	assert_int_equal(op.dst_memory, XS_MEM_DEVICE);
}

TEST(only_the_allocation_is_pinned)
{
	expect(0xffff, XS_MEM_PAGEABLE);
	expect(0x10000, XS_MEM_PINNED);
	expect(0x11fff, XS_MEM_PINNED);
	expect(0x12000, XS_MEM_PAGEABLE);
}

TEST(freed_memory_is_pageable)
{
	const struct xs_op op =
	    copy_of("memcall site=4 start=30 duration=5 address=0x10000\n",
		    0x10000, 0x20000, 1);

	assert_int_equal(op.src_memory, XS_MEM_PAGEABLE);
}

/* cudaMemcpyDefault: the addresses say which way. */
TEST(addresses_give_the_direction)
{
	assert_int_equal(copy_of("", 0x10000, 0x20000, 4).kind, XS_OP_H2D);
	assert_int_equal(copy_of("", 0x21fff, 0x10000, 4).kind, XS_OP_D2H);
	assert_int_equal(copy_of("", 0x20000, 0x21000, 4).kind, XS_OP_D2D);
	assert_int_equal(copy_of("", 0x22000, 0x10000, 4).kind, XS_OP_H2H);
}

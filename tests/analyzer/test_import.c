/* SPDX-License-Identifier: MIT */
/* Parts of the importers; import/check.py tests them as a whole. */
#include "analyzer/import/call_class.h"
#include "analyzer/import/import.h"
#include "analyzer/util/distinct.h"
#include "preload/format.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

TEST(test_call_classes)
{
	static const struct {
		const char *function;
		uint8_t call_class;
	} cases[] = {
	    {"cudaMemcpy", XS_CALL_COPY},
	    {"cudaMemcpy_v3020", XS_CALL_COPY},
	    {"cudaMemcpyAsync_ptsz_v7000", XS_CALL_COPY_ASYNC},
	    {"cuMemcpyHtoDAsync_v2", XS_CALL_COPY_ASYNC},
	    {"cuMemcpyHtoDAsync_v2_ptsz", XS_CALL_COPY_ASYNC},
	    {"cuMemcpyHtoDAsync", XS_CALL_COPY_ASYNC},
	    {"cudaMemcpy2D_ptds", XS_CALL_COPY},
	    {"cudaMemcpyBatchAsync_v12080", XS_CALL_COPY_ASYNC},
	    {"cudaLaunchKernel_v7000", XS_CALL_LAUNCH},
	    {"cudaLaunch_v3020", XS_CALL_LAUNCH},
	    {"cuLaunchKernelEx", XS_CALL_LAUNCH},
	    {"cudaThreadSynchronize_v3020", XS_CALL_SYNC_DEVICE},
	    {"cuCtxSynchronize", XS_CALL_SYNC_DEVICE},
	    {"cuMemAllocHost_v2", XS_CALL_ALLOC_PINNED},
	    {"cudaGraphLaunch_v10000", XS_CALL_GRAPH_LAUNCH},
	    {"cudaMemcpyAsyncNow", XS_CALL_OTHER},
	    {"cudaMem", XS_CALL_OTHER},
	    {"cuInit", XS_CALL_OTHER},
	    {"_v2", XS_CALL_OTHER},
	    {"", XS_CALL_OTHER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (xs_call_class_of(cases[i].function) != cases[i].call_class)
			fail_msg("%s", cases[i].function);
}

TEST(test_names)
{
	assert_int_equal(xs_call_name_length("cudaMemcpy_v3020"), 10);
	assert_int_equal(xs_call_name_length("cudaMemcpy"), 10);
	assert_int_equal(xs_call_name_length("cuMemAlloc_v2"), 13);
}

TEST(test_distinct_values)
{
	struct xs_distinct distinct = {0};
	uint32_t number;
	char text[16];

	number = xs_distinct_find(&distinct, "", 0);
	assert_int_equal(number, 0);
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < 5000; i++) {
			snprintf(text, sizeof(text), "%u", i);
			number =
			    xs_distinct_find(&distinct, text, strlen(text));
			assert_int_equal(number, i + 1);
			assert_string_equal(
			    xs_distinct_value(&distinct, number), text);
		}
	assert_int_equal(distinct.count, 5001);
	xs_distinct_release(&distinct);
}

TEST(test_what_reads_a_file)
{
	assert_ptr_equal(xs_importer_find("SQLite format 3\0\4", 17),
			 xs_import_nsys);
	assert_null(xs_importer_find("SQLite format 3", 15));
	assert_non_null(
	    xs_importer_find("NVIDIA Tegra Profiler Report 2025@6", 36));
	assert_null(xs_importer_find("XFERSPY\0", 8));
	assert_null(xs_importer_find("", 0));
}

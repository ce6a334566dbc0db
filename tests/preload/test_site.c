/* SPDX-License-Identifier: MIT */
#include "tests/preload/trace_of_test.h"

#include "preload/sites/site.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define SITES	2000u

static struct xs_trace_file trace;
static struct xs_writer writer;

FIXTURE(open_writer)
{
	writer = (struct xs_writer){.trace = &trace, .thread = 1};
	return begin_trace(&trace);
}

static void close_and_read(void)
{
	xs_writer_close(&writer);
	end_trace(&trace);
}

static uint32_t id_of(struct xs_writer *w, enum xs_function fn,
		      uintptr_t address, uint32_t caller)
{
	struct xs_site_slot *site = xs_site_find(fn, address, caller);

	assert_non_null(site);
	assert_ptr_equal(site, xs_site_find(fn, address, caller));
	return xs_site_id(site, w, fn, address, caller);
}

/* Returns the text of a string id; "" if there is none. */
static const char *string_of(uint32_t id)
{
	static char text[1024];
	const struct record *record;

	text[0] = '\0';
	for (size_t i = 0; (record = records_get(&r, XS_REC_string, i)); i++) {
		const struct xs_rec_string *s = record->at;
		size_t bytes = s->words * 4u - sizeof(*s);
		if (s->id == id) {
			memcpy(text, s + 1, bytes);
			text[bytes] = '\0';
		}
	}
	return text;
}

TEST(site_names_function_module_and_offset)
{
	uintptr_t here = (uintptr_t)site_names_function_module_and_offset + 5;
	uint32_t id = id_of(&writer, XS_FN_cudaMemcpy, here, 0);
	char exe[1024] = "";
	Dl_info info;

	assert_true(id > 0);
	assert_int_equal(id_of(&writer, XS_FN_cudaMemcpy, here, 0), id);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_site), 1);
	assert_int_equal(records_of(&r, XS_REC_module), 1);
	const struct xs_rec_site *site = records_get(&r, XS_REC_site, 0)->at;
	const struct xs_rec_module *module =
	    records_get(&r, XS_REC_module, 0)->at;
	assert_int_equal(site->site, id);
	assert_int_equal(site->call_class, XS_CALL_COPY);
	assert_int_equal(site->caller, 0);
	assert_int_equal(site->module, module->module);
	assert_string_equal(string_of(site->function), "cudaMemcpy");

	/* One byte before the return address. */
	assert_true(dladdr((void *)here, &info));
	assert_int_equal(site->offset, here - 1 - (uintptr_t)info.dli_fbase);
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_string_equal(string_of(module->path), exe);
	/* 20 bytes of SHA-1 in hexadecimal. */
	assert_int_equal(strlen(string_of(module->build_id)), 40);
}

TEST(sites_differ_by_function_address_and_caller)
{
	uintptr_t here =
	    (uintptr_t)sites_differ_by_function_address_and_caller + 1;
	uint32_t ids[4];

	ids[0] = id_of(&writer, XS_FN_cudaMemset, here, 0);
	ids[1] = id_of(&writer, XS_FN_cudaFree, here, 0);
	ids[2] = id_of(&writer, XS_FN_cudaMemset, here + 1, 0);
	ids[3] = id_of(&writer, XS_FN_cudaMemset, here, ids[0]);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			assert_int_not_equal(ids[i], ids[j]);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_site), 4);
	assert_int_equal(
	    ((const struct xs_rec_site *)records_get(&r, XS_REC_site, 3)->at)
		->caller,
	    ids[0]);
}

/* The site exists even if no object contains the address. */
TEST(address_outside_of_any_module)
{
	assert_true(id_of(&writer, XS_FN_cudaMalloc, 0x1234, 0) > 0);
	close_and_read();
	const struct xs_rec_site *site = records_get(&r, XS_REC_site, 0)->at;
	assert_int_equal(site->module, XS_NONE32);
}

/* If a call stack walk ends inside the driver, the function is still known. */
TEST(call_from_an_unknown_place)
{
	assert_false(
	    xs_site_is_known(xs_site_find(XS_FN_cudaMallocHost, 0, 0)));
	assert_true(xs_site_is_known(xs_site_find(XS_FN_cudaMallocHost, 1, 0)));
	assert_true(id_of(&writer, XS_FN_cudaMallocHost, 0, 0) > 0);
	close_and_read();
	const struct xs_rec_site *site = records_get(&r, XS_REC_site, 0)->at;
	assert_int_equal(site->call_class, XS_CALL_ALLOC_PINNED);
	assert_string_equal(string_of(site->function), "cudaMallocHost");
	assert_int_equal(site->module, XS_NONE32);
}

/* A source line is a site with a `source` record; each text is written once. */
TEST(source_line_is_a_site)
{
	struct xs_site_source source = {.line = 42};

	source.symbol = xs_site_string(&writer, "step");
	source.file = xs_site_string(&writer, "/home/me/train.py");
	assert_int_equal(xs_site_string(&writer, "step"), source.symbol);
	assert_int_not_equal(source.symbol, source.file);
	uint32_t outer = xs_site_source_id(&writer, &source, 0);
	uint32_t inner = xs_site_source_id(&writer, &source, outer);
	assert_int_not_equal(outer, inner);
	assert_int_equal(xs_site_source_id(&writer, &source, 0), outer);
	source.line = 43;
	assert_int_not_equal(xs_site_source_id(&writer, &source, 0), outer);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_site), 3);
	assert_int_equal(records_of(&r, XS_REC_source), 3);
	assert_int_equal(records_of(&r, XS_REC_string), 2);
	const struct xs_rec_site *site = records_get(&r, XS_REC_site, 1)->at;
	const struct xs_rec_source *record =
	    records_get(&r, XS_REC_source, 1)->at;
	assert_int_equal(site->site, inner);
	assert_int_equal(site->caller, outer);
	assert_int_equal(site->module, XS_NONE32);
	assert_int_equal(site->function, 0);
	assert_int_equal(record->site, inner);
	assert_int_equal(record->line, 42);
	assert_string_equal(string_of(record->file), "/home/me/train.py");
}

/* A site that did not fit is written when there is space. */
TEST(unwritten_site_is_retried)
{
	uintptr_t here = (uintptr_t)unwritten_site_is_retried + 3;
	struct xs_trace_file closed;
	struct xs_writer lost = {.trace = &closed};
	const struct xs_trace_file_start start = {1, 2, 3};

	assert_int_equal(xs_trace_file_open(&closed, PATH ".1", &start), 0);
	xs_trace_file_close(&closed, 4);
	assert_int_equal(id_of(&lost, XS_FN_cudaFreeHost, here, 0), 0);
	assert_true(id_of(&writer, XS_FN_cudaFreeHost, here, 0) > 0);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_site), 1);
}

struct job {
	uint32_t ids[SITES];
	uint32_t thread;
};

static void *find_all(void *data)
{
	struct job *job = data;
	struct xs_writer mine = {.trace = &trace, .thread = job->thread};
	uintptr_t base = (uintptr_t)find_all;

	for (uint32_t i = 0; i < SITES; i++) {
		enum xs_function fn = i % XS_FN_COUNT;
		struct xs_site_slot *site = xs_site_find(fn, base + i, 0);
		job->ids[i] =
		    site ? xs_site_id(site, &mine, fn, base + i, 0) : 0;
	}
	xs_writer_close(&mine);
	return NULL;
}

TEST(threads_agree_on_every_site)
{
	static struct job jobs[THREADS];
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < THREADS; i++) {
		jobs[i].thread = i + 1;
		pthread_create(&threads[i], NULL, find_all, &jobs[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t n = 0; n < SITES; n++) {
		assert_int_not_equal(jobs[0].ids[n], 0);
		for (int i = 1; i < THREADS; i++)
			assert_int_equal(jobs[i].ids[n], jobs[0].ids[n]);
	}
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_site), SITES);
}

TEST(cupti_names_are_understood)
{
	assert_int_equal(xs_function_by_cupti_name("cudaMemcpy_v3020"),
			 XS_FN_cudaMemcpy);
	assert_int_equal(xs_function_by_cupti_name("cudaMemcpy_ptds_v7000"),
			 XS_FN_cudaMemcpy_ptds);
	assert_int_equal(
	    xs_function_by_cupti_name("__cudaLaunchKernel_ptsz_v13000"),
	    XS_FN___cudaLaunchKernel_ptsz);
	assert_int_equal(xs_function_by_cupti_name("cudaMemcpyAsync"),
			 XS_FN_cudaMemcpyAsync);
	assert_int_equal(xs_function_by_cupti_name("cudaLaunch_v3020"),
			 XS_FN_COUNT);
	assert_int_equal(xs_function_by_cupti_name("INVALID"), XS_FN_COUNT);
	/* Driver functions have no version suffix to remove. */
	assert_int_equal(xs_function_by_cupti_name("cuMemcpyHtoD_v2_ptds"),
			 XS_FN_cuMemcpyHtoD_v2_ptds);
	assert_int_equal(xs_function_by_cupti_name("cuMemcpyHtoD"),
			 XS_FN_COUNT);
	assert_string_equal(xs_functions[XS_FN_cuLaunchKernel_ptsz].name,
			    "cuLaunchKernel_ptsz");
	assert_true(xs_functions[XS_FN_cuLaunchKernel_ptsz].per_thread);
	assert_int_equal(
	    xs_function_by_cupti_name("cudaMemcpyBatchAsync_ptsz_v12080"),
	    XS_FN_cudaMemcpyBatchAsync_ptsz_v12080);
	assert_string_equal(
	    xs_functions[XS_FN_cudaMemcpyBatchAsync_ptsz_v12080].name,
	    "cudaMemcpyBatchAsync_ptsz");
	assert_true(xs_functions[XS_FN_cudaMemcpy_ptds].per_thread);
	assert_false(xs_functions[XS_FN_cudaMemcpy].per_thread);
}

RUN_TESTS(open_writer, drop_records)

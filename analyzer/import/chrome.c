/* SPDX-License-Identifier: MIT */
/* Reads the events of a trace in the format of Chrome: those of PyTorch's
 * profiler (Kineto) and of JAX, plain or compressed, as a stream. */
#include "analyzer/import/chrome.h"

#include "analyzer/import/import.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct xs_json_pull json;
	struct xs_chrome chrome;
	struct xs_chrome_event event;
	char name[XS_JSON_TEXT + 1];
};

#define NO_TIME	    UINT64_MAX
#define MOST_NUMBER (UINT64_C(1) << 62)

/* Microseconds with a fraction, exactly: a double has too few digits. */
static uint64_t nanoseconds(const char *text)
{
	uint64_t us = 0, fraction = 0, unit = 100;

	if (strpbrk(text, "eE")) {
		const double ns = strtod(text, NULL) * 1000;

		return ns >= 0 && ns < (double)MOST_NUMBER ? (uint64_t)ns
							   : NO_TIME;
	}
	if (*text < '0' || *text > '9')
		return NO_TIME;
	for (; *text >= '0' && *text <= '9' && us < MOST_NUMBER / 1000; text++)
		us = 10 * us + (uint64_t)(*text - '0');
	if (us >= MOST_NUMBER / 1000)
		return NO_TIME;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
			fraction += unit * (uint64_t)(*text - '0');
	return us * 1000 + fraction;
}

/* A number, or the one in a text such as "$$1". */
static uint64_t number_in(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");

	return digits > text && digits[-1] == '-' ? 0
						  : strtoull(digits, NULL, 10);
}

/* Whether a text is a size: digits, perhaps with a fraction of 0, and as large
 * as can be. */
static bool is_size(const char *text)
{
	const char *end = text + strspn(text, "0123456789");

	if (end > text && *end == '.')
		end += 1 + strspn(end + 1, "0");
	return end > text && !*end && strtoull(text, NULL, 10) <= MOST_NUMBER;
}

/* Copies a text, or its beginning. */
static void copy_text(char *to, size_t size, const char *text)
{
	const size_t length = strnlen(text, size - 1);

	memcpy(to, text, length);
	to[length] = '\0';
}

/* Reads up to three numbers of an array. */
static int read_three(struct reader *r, int token, uint64_t *numbers)
{
	size_t i = 0;

	if (token != XS_JSON_ARRAY)
		return xs_json_pull_skip(&r->json, token);
	while ((token = xs_json_pull_next(&r->json)) > XS_JSON_END &&
	       token != XS_JSON_ARRAY_END) {
		if (token == XS_JSON_NUMBER && i < 3)
			numbers[i++] = number_in(r->json.text);
		token = xs_json_pull_skip(&r->json, token);
		if (token)
			return token;
	}
	return token < 0 ? token : 0;
}

/* A stream that is no number is left out, as one that is too large. */
static void read_stream(struct xs_chrome_event *e, const char *text)
{
	e->has_stream = text[0] != '-';
	if (e->has_stream && !is_size(text))
		e->stream = UINT64_MAX;
}

static int read_argument(struct reader *r, const char *key)
{
	struct xs_chrome_event *e = &r->event;
	const struct {
		const char *key;
		uint64_t *number;
	} numbers[] = {{"device", &e->device},
		       {"device_id", &e->device},
		       {"context", &e->context},
		       {"context_id", &e->context},
		       {"stream", &e->stream},
		       {"bytes", &e->bytes},
		       {"correlation", &e->correlation},
		       {"correlation_id", &e->correlation},
		       {"wait_on_cuda_event_record_corr_id", &e->waits_for},
		       {"registers per thread", &e->registers},
		       {"shared memory", &e->shared_bytes}};
	const bool grid = strcmp(key, "grid") == 0;
	const bool block = strcmp(key, "block") == 0;
	char name[64];
	int token;

	copy_text(name, sizeof(name), key);
	token = xs_json_pull_next(&r->json);
	if (grid || block)
		return read_three(r, token, grid ? e->grid : e->block);
	if (token != XS_JSON_NUMBER && token != XS_JSON_STRING)
		return xs_json_pull_skip(&r->json, token);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (strcmp(name, numbers[i].key) == 0)
			*numbers[i].number = number_in(r->json.text);
	e->has_bytes |= strcmp(name, "bytes") == 0 && is_size(r->json.text);
	e->has_device |= strcmp(name, "device") == 0;
	if (strcmp(name, "stream") == 0)
		read_stream(e, r->json.text);
	if (strcmp(name, "name") == 0)
		copy_text(e->label, sizeof(e->label), r->json.text);
	if (strcmp(name, "memcpy_details") == 0 ||
	    strcmp(name, "memset_details") == 0 ||
	    strcmp(name, "kernel_details") == 0)
		copy_text(e->details, sizeof(e->details), r->json.text);
	return 0;
}

/* Calls `member` for each key of an object; it reads the value. */
static int read_object(struct reader *r, int token,
		       int (*member)(struct reader *r, const char *key))
{
	int rc = 0;

	if (token != XS_JSON_OBJECT)
		return xs_json_pull_skip(&r->json, token);
	while (!rc && (token = xs_json_pull_next(&r->json)) == XS_JSON_KEY)
		rc = member(r, r->json.text);
	return rc ? rc : token < 0 ? token : 0;
}

static int read_member(struct reader *r, const char *key)
{
	struct xs_chrome_event *e = &r->event;
	char name[16];
	int token;

	copy_text(name, sizeof(name), key);
	token = xs_json_pull_next(&r->json);
	if (strcmp(name, "args") == 0)
		return read_object(r, token, read_argument);
	if (token != XS_JSON_NUMBER && token != XS_JSON_STRING)
		return xs_json_pull_skip(&r->json, token);
	if (strcmp(name, "ph") == 0)
		e->phase = r->json.text[0];
	else if (strcmp(name, "cat") == 0)
		copy_text(e->category, sizeof(e->category), r->json.text);
	else if (strcmp(name, "name") == 0)
		copy_text(r->name, sizeof(r->name), r->json.text);
	else if (strcmp(name, "pid") == 0)
		e->pid = number_in(r->json.text);
	else if (strcmp(name, "tid") == 0)
		e->tid = number_in(r->json.text);
	else if (strcmp(name, "ts") == 0)
		e->start_ns = nanoseconds(r->json.text);
	else if (strcmp(name, "dur") == 0)
		e->end_ns = nanoseconds(r->json.text);
	return 0;
}

static int read_event(struct reader *r, int token)
{
	struct xs_chrome_event *e = &r->event;
	int rc;

	*e = (struct xs_chrome_event){
	    .name = r->name, .start_ns = NO_TIME, .end_ns = NO_TIME};
	r->name[0] = '\0';
	rc = read_object(r, token, read_member);
	if (rc)
		return rc;
	if (e->phase == 'X' &&
	    (e->start_ns == NO_TIME || e->end_ns == NO_TIME)) {
		r->chrome.foreign.left_out++;
		return 0;
	}
	e->end_ns += e->start_ns; /* it was the duration */
	(e->category[0] ? xs_kineto_add : xs_jax_add)(&r->chrome, e);
	return 0;
}

/* deviceProperties: an array of objects. */
static int read_property(struct reader *r, const char *key)
{
	struct xs_foreign *f = &r->chrome.foreign;
	struct xs_rec_device *device = &f->devices[f->device_count - 1];
	char name[48];
	uint64_t number;
	int token;

	copy_text(name, sizeof(name), key);
	token = xs_json_pull_next(&r->json);
	if (token == XS_JSON_STRING && strcmp(name, "name") == 0) {
		xs_foreign_add_string(f, r->json.text,
				      &f->device_names[f->device_count - 1]);
		return 0;
	}
	if (token != XS_JSON_NUMBER)
		return xs_json_pull_skip(&r->json, token);
	number = number_in(r->json.text);
	if (strcmp(name, "totalGlobalMem") == 0)
		device->memory_bytes = number;
	if (number > UINT32_MAX)
		return 0;
	if (strcmp(name, "id") == 0)
		device->device = (xs_u16)number;
	else if (strcmp(name, "computeMajor") == 0)
		device->cc_major = (xs_u16)number;
	else if (strcmp(name, "computeMinor") == 0)
		device->cc_minor = (xs_u16)number;
	else if (strcmp(name, "numSms") == 0)
		device->sm_count = (xs_u32)number;
	else if (strcmp(name, "maxThreadsPerMultiprocessor") == 0)
		device->max_threads_per_sm = (xs_u32)number;
	else if (strcmp(name, "regsPerMultiprocessor") == 0)
		device->registers_per_sm = (xs_u32)number;
	else if (strcmp(name, "sharedMemPerMultiprocessor") == 0)
		device->shared_per_sm_bytes = (xs_u32)number;
	return 0;
}

static int read_device(struct reader *r, int token)
{
	const struct xs_rec_device device = {0};

	xs_foreign_add_device(&r->chrome.foreign, &device, "");
	return read_object(r, token, read_property);
}

static int read_array(struct reader *r, int token,
		      int (*element)(struct reader *r, int token))
{
	int rc = 0;

	if (token != XS_JSON_ARRAY)
		return xs_json_pull_skip(&r->json, token);
	while (!rc && (token = xs_json_pull_next(&r->json)) > XS_JSON_END &&
	       token != XS_JSON_ARRAY_END)
		rc = element(r, token);
	return rc ? rc : token < 0 ? token : 0;
}

static int ignore(struct reader *r, int token)
{
	return xs_json_pull_skip(&r->json, token);
}

static int read_top(struct reader *r, const char *key)
{
	const bool events = strcmp(key, "traceEvents") == 0;
	const bool devices = strcmp(key, "deviceProperties") == 0;
	const bool base = strcmp(key, "baseTimeNanoseconds") == 0;
	const bool driver = strcmp(key, "cuda_driver_version") == 0;
	const int token = xs_json_pull_next(&r->json);

	if (base && token == XS_JSON_NUMBER)
		r->chrome.base_ns = number_in(r->json.text);
	if (driver && token == XS_JSON_NUMBER)
		r->chrome.driver = number_in(r->json.text);
	return devices ? read_array(r, token, read_device)
		       : read_array(r, token, events ? read_event : ignore);
}

/* The file is an object with the events, or the array of these alone. */
static int read_file(struct reader *r)
{
	const int token = xs_json_pull_next(&r->json);
	const int rc = token == XS_JSON_ARRAY ? read_array(r, token, read_event)
					      : read_object(r, token, read_top);
	return rc ? rc : xs_json_pull_next(&r->json);
}

static int refuse(const struct reader *r, int rc, const char **error)
{
	if (rc == -EPROTO && r->json.wrong)
		return xs_import_fail(
		    error,
		    "not a whole trace in JSON: %s, near byte %llu of its "
		    "text; write it again",
		    r->json.wrong,
		    (unsigned long long)(r->json.before + r->json.at));
	if (!rc && !r->chrome.events)
		return xs_import_fail(
		    error, "JSON, but no trace of PyTorch's profiler or of "
			   "JAX with work of CUDA");
	return rc;
}

int xs_import_chrome(const struct xs_trace_bytes *bytes,
		     const struct xs_trace_visitor *visitor, const char **error)
{
	struct reader *r = xs_calloc(1, sizeof(*r));
	struct xs_foreign *f;
	int rc;

	f = &r->chrome.foreign;
	xs_foreign_init(f);
	/* text may be much longer than its compressed form */
	f->source_bytes = 64 * bytes->size;
	rc = xs_json_pull_open(&r->json, bytes);
	if (!rc)
		rc = refuse(r, read_file(r), error);
	if (!rc)
		rc = xs_chrome_choose_process(&r->chrome, error);
	if (!rc)
		xs_chrome_find_sites(&r->chrome);
	if (!rc)
		rc = xs_foreign_join(f, error);
	if (!rc)
		xs_chrome_add_notes(&r->chrome);
	if (!rc && r->json.input.wrong) /* what follows the compressed part */
		xs_foreign_add_info(f, "note=%s", r->json.input.wrong);
	if (!rc)
		xs_foreign_pass(f, visitor);
	xs_json_pull_release(&r->json);
	xs_foreign_release(f);
	xs_distinct_release(&r->chrome.threads);
	free(r->chrome.frames);
	free(r);
	return rc;
}

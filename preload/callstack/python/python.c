/* SPDX-License-Identifier: MIT */
#include "preload/callstack/python/python.h"
#include "preload/callstack/python/python_frame.h"
#include "preload/python_files.h"
#include "preload/sites/object.h"
#include "preload/sites/site.h"
#include "preload/trace/info.h"
#include "preload/util/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct xs_python python;
static atomic_bool is_on;
static void *(*thread_state)(void); /* takes no lock */
static int (*is_finalizing)(void);
static uintptr_t code_begin, code_end; /* the interpreter's code */

struct frames {
	unsigned count;
	struct xs_python_frame list[XS_PYTHON_MAX_FRAMES];
};

static bool find_functions(void)
{
	*(void **)&thread_state =
	    dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
	*(void **)&is_finalizing = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
	if (!is_finalizing)
		*(void **)&is_finalizing =
		    dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
	python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	python.str_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
	python.bytes_type = dlsym(RTLD_DEFAULT, "PyBytes_Type");
	return thread_state && is_finalizing && python.code_type &&
	       python.str_type && python.bytes_type;
}

/* Parses "3.11.7 (main, ..." to the form of Py_Version, which exists since
 * 3.11. */
static uint32_t find_version(char text[16])
{
	const char *(*get_version)(void);
	unsigned major = 0, minor = 0;

	*(void **)&get_version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
	if (!get_version)
		return 0;
	snprintf(text, 16, "%s", get_version());
	text[strcspn(text, " ")] = '\0';
	sscanf(text, "%u.%u", &major, &minor);
	return major << 24 | minor << 16;
}

int xs_python_start(char version[16])
{
	const void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
	int err;

	if (!runtime)
		return -ENOENT;
	version[0] = '\0';
	err = xs_python_layout_find(find_version(version), runtime,
				    &python.layout);
	if (err || !find_functions())
		return -ENOTSUP;
	xs_object_code_range((uintptr_t)is_finalizing, &code_begin, &code_end);
	atomic_store(&is_on, true);
	return 0;
}

bool xs_python_holds(uintptr_t address)
{
	return address - code_begin < code_end - code_begin;
}

/* The interpreter's data are not as expected: stop reading lines. */
static void disable(void)
{
	if (atomic_exchange(&is_on, false))
		xs_trace_info("note", "the frame layout of this Python is "
				      "unknown: its lines are missing");
}

static int read_frames(const void *state, struct frames *frames)
{
	uintptr_t at = xs_python_top(&python, state);

	frames->count = 0;
	for (unsigned i = 0; at && i < XS_PYTHON_MAX_FRAMES; i++) {
		struct xs_python_frame *frame = &frames->list[frames->count];
		int err = xs_python_read(&python, at, frame);
		if (err)
			return err;
		at = frame->previous;
		frames->count += frame->is_line;
	}
	return 0;
}

/* Selects the frames to write: the innermost `wanted` ones, and if none of them
 * is the user's own code, the next one that is, and the first one before it
 * that was generated. */
static int choose_frames(const struct frames *frames, unsigned wanted,
			 struct xs_writer *writer,
			 struct xs_site_source *chosen, unsigned *count)
{
	struct xs_python_place place;
	bool found = false, generated = false;

	*count = 0;
	for (unsigned i = 0; i < frames->count; i++) {
		bool library, made;
		int err;

		if (*count >= wanted && found)
			break;
		err = xs_python_locate(&python, &frames->list[i], &place);
		if (err)
			return err;
		library = xs_python_is_package(place.file);
		made = !library && xs_python_is_generated(place.file);
		if (*count >= wanted && (library || (made && generated)))
			continue;
		generated = generated || made;
		found = found || !(library || made);
		chosen[(*count)++] = (struct xs_site_source){
		    .symbol = xs_site_string(writer, place.name),
		    .file = xs_site_string(writer, place.file),
		    .line = place.line,
		};
	}
	return 0;
}

struct chain {
	const void *state;
	unsigned wanted;
	struct xs_writer *writer;
	uint32_t site; /* of the innermost line; 0: none */
};

/* Writes frames from the outermost one inwards: each contains its caller's
 * number. */
static void write_chain_now(void *data)
{
	struct chain *chain = data;
	struct xs_site_source chosen[XS_PYTHON_MAX_FRAMES];
	struct frames frames;
	unsigned count;

	if (read_frames(chain->state, &frames) ||
	    choose_frames(&frames, chain->wanted, chain->writer, chosen,
			  &count)) {
		disable();
		return;
	}
	if (count)
		xs_relaxed_set(&python.trusted, true);
	for (unsigned i = count; i-- > 0;)
		chain->site =
		    xs_site_source_id(chain->writer, &chosen[i], chain->site);
}

static uint32_t write_chain(const void *state, unsigned wanted,
			    struct xs_writer *writer)
{
	struct chain chain = {
	    .state = state, .wanted = wanted, .writer = writer};

	xs_guard_run(write_chain_now, &chain);
	return chain.site;
}

/* A signal handler may jump out at any moment. */
static void cache_chain(struct xs_python_chain *chain, uint64_t hash,
			uint32_t site)
{
	*(volatile uint32_t *)&chain->site = 0;
	atomic_signal_fence(memory_order_seq_cst);
	chain->hash = hash;
	atomic_signal_fence(memory_order_seq_cst);
	chain->site = site;
}

uint32_t xs_python_site(struct xs_writer *writer, struct xs_python_cache *cache,
			unsigned wanted)
{
	struct xs_python_chain *set;
	const void *state;
	uint64_t hash;
	uint32_t site;

	/* When the interpreter finalizes, it frees the states of other
	 * threads. */
	if (!xs_relaxed(&is_on) || is_finalizing())
		return 0;
	state = thread_state();
	if (!state)
		return 0;
	if (!xs_relaxed(&python.trusted))
		return write_chain(state, wanted, writer);
	hash = xs_python_hash(&python, state);
	if (!hash)
		return 0;
	set = cache->sets[hash % XS_PYTHON_SETS];
	for (unsigned way = 0; way < XS_PYTHON_WAYS; way++)
		if (set[way].hash == hash && set[way].site)
			return set[way].site;
	site = write_chain(state, wanted, writer);
	if (site)
		cache_chain(&set[cache->next_way++ % XS_PYTHON_WAYS], hash,
			    site);
	return site;
}

/* SPDX-License-Identifier: MIT */
/* One thread of a variant, and its memory. */
#ifndef XS_EXAMPLES_WORKER_H
#define XS_EXAMPLES_WORKER_H

#include "../measure.h"
#include "shape.h"

#include <pthread.h>

#define SETS 2 /* of buffers, of the variant double-buffer */

#define FACTOR 2654435761u /* of the contents of inputs */

struct worker {
	const struct shape *shape;
	enum variant variant;
	bool pinned, blocking, allocates;
	int sets;
	unsigned *host_in[SETS][BUFFERS], *host_out[SETS][BUFFERS];
	unsigned *in[SETS][BUFFERS], *out[SETS][BUFFERS];
	unsigned *gathered; /* of the variant batch */
	cudaStream_t streams[CHUNKS];
	cudaEvent_t event;
	cudaGraphExec_t graph;
	pthread_barrier_t *start;
	double begin_ns, end_ns;
};

/* The device's buffers of a set. Batch has its inputs next to each other. */
static void allocate(struct worker *w, int set)
{
	const struct shape *s = w->shape;
	size_t bytes = 0;

	for (int i = 0; i < s->ins; i++)
		bytes += bytes_of(&s->in[i]);
	for (int i = 0; i < s->ins; i++)
		if (w->variant == BATCH && i > 0)
			w->in[set][i] = w->in[set][i - 1] + s->in[i - 1].words;
		else
			CHECK(cudaMalloc(
			    &w->in[set][i],
			    w->variant == BATCH ? bytes : bytes_of(&s->in[i])));
	for (int i = 0; i < s->outs; i++)
		CHECK(cudaMalloc(&w->out[set][i], bytes_of(&s->out[i])));
}

static void release(struct worker *w, int set)
{
	for (int i = 0; i < (w->variant == BATCH ? 1 : w->shape->ins); i++)
		CHECK(cudaFree(w->in[set][i]));
	for (int i = 0; i < w->shape->outs; i++)
		CHECK(cudaFree(w->out[set][i]));
}

/* All pages are touched. */
static unsigned *host_buffer(bool pinned, size_t words, unsigned factor)
{
	void *memory = NULL;

	if (pinned)
		CHECK(cudaMallocHost(&memory, words * sizeof(unsigned)));
	else
		memory = malloc(words * sizeof(unsigned));
	for (size_t i = 0; i < words; i++)
		((unsigned *)memory)[i] = (unsigned)i * factor;
	return (unsigned *)memory;
}

static void free_host(bool pinned, unsigned *memory)
{
	if (pinned)
		CHECK(cudaFreeHost(memory));
	else
		free(memory);
}

static void set_up_buffers(struct worker *w, int set)
{
	const struct shape *s = w->shape;

	for (int i = 0; i < s->ins; i++) {
		const size_t words = s->in[i].words;

		w->host_in[set][i] = host_buffer(
		    w->pinned, s->in[i].pieces > 1 ? 2 * words : words, FACTOR);
	}
	for (int i = 0; i < s->outs; i++)
		w->host_out[set][i] =
		    host_buffer(w->pinned, s->out[i].words, 0);
	if (!w->allocates)
		allocate(w, set);
}

static void set_up(struct worker *w, const struct shape *s,
		   enum variant variant, pthread_barrier_t *start)
{
	const bool streamed = variant == STREAMS || variant == DOUBLE_BUFFER;

	*w = {};
	w->shape = s;
	w->variant = variant;
	w->start = start;
	w->sets = variant == DOUBLE_BUFFER ? SETS : 1;
	w->pinned = s->pinned || variant == PINNED || streamed;
	w->blocking = !s->async && !streamed;
	w->allocates = s->allocates && (variant == BASELINE ||
					variant == PINNED || variant == BATCH);
	for (int i = 0; i < CHUNKS && (streamed || s->own_stream); i++)
		CHECK(cudaStreamCreate(&w->streams[i]));
	CHECK(cudaEventCreateWithFlags(&w->event, cudaEventDisableTiming));
	for (int set = 0; set < w->sets; set++)
		set_up_buffers(w, set);
	if (variant == BATCH)
		w->gathered =
		    host_buffer(true, all_bytes(s) / sizeof(unsigned), 0);
}

static void tear_down(struct worker *w)
{
	for (int set = 0; set < w->sets; set++) {
		for (int i = 0; i < w->shape->ins; i++)
			free_host(w->pinned, w->host_in[set][i]);
		for (int i = 0; i < w->shape->outs; i++)
			free_host(w->pinned, w->host_out[set][i]);
		if (!w->allocates)
			release(w, set);
	}
	if (w->gathered != NULL)
		free_host(true, w->gathered);
	if (w->graph != NULL)
		CHECK(cudaGraphExecDestroy(w->graph));
	for (int i = 0; i < CHUNKS; i++)
		if (w->streams[i] != NULL)
			CHECK(cudaStreamDestroy(w->streams[i]));
	CHECK(cudaEventDestroy(w->event));
}

#endif

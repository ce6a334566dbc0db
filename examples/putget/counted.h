/* SPDX-License-Identifier: MIT */
/*
 * The kernels of 100 messages of 1 KiB out, as in the tables of Klenk 2014, for
 * a run whose kernels are counted. A launch then returns only after its kernel,
 * so that another thread launches it and this one answers.
 */
#ifndef XS_EXAMPLES_PUTGET_COUNTED_H
#define XS_EXAMPLES_PUTGET_COUNTED_H

#include "mailbox.h"

#include <pthread.h>

#define COUNTED_ROUNDS 100
#define COUNTED_BYTES  1024

struct counted {
	const struct mailbox *box;
	struct work work;
	unsigned threads; /* of its block */
};

static void *launch_counted(void *data)
{
	const struct counted *c = (const struct counted *)data;

	worker<<<1, c->threads, 0, c->box->kernels>>>(c->work);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(c->box->kernels));
	return NULL;
}

/* Answers each message. A copy would wait for the end of a counted kernel:
 * answers in device memory are all there before it starts. */
static inline void answer_counted(const struct mailbox *box, bool device)
{
	for (unsigned i = 1; i <= COUNTED_ROUNDS; i++) {
		if (!device)
			answer_all(box, 1, i, false);
		wait_request(box, 0, i, "counters");
	}
}

/* Runs one kernel, by its name. Returns 0, or -1 if there is none. */
static inline int count_kernel(const struct mailbox *box, const char *name)
{
	const bool device = strcmp(name, "device") == 0;
	const bool assisted = strcmp(name, "assisted") == 0;
	struct counted counted = {
	    box,
	    {.to = assisted ? NULL : box->paths[OUT].to,
	     .from = box->paths[OUT].from,
	     .bytes = COUNTED_BYTES,
	     .stride = 0,
	     .rounds = COUNTED_ROUNDS,
	     .first = 0,
	     .parts = 1,
	     .shared = true,
	     .answered = true,
	     .request = box->request,
	     .answer = device ? box->answer_device : box->answer,
	     .late = box->late,
	     .stagger_ns = 0},
	    assisted ? 32u : COUNTED_BYTES / (unsigned)sizeof(int4)};
	pthread_t thread;

	if (!device && !assisted && strcmp(name, "system") != 0)
		return -1;
	clear_flags(box);
	if (device)
		answer_all(box, 1, COUNTED_ROUNDS, true);
	CHECK(cudaDeviceSynchronize());
	if (pthread_create(&thread, NULL, launch_counted, &counted) != 0)
		exit(2);
	answer_counted(box, device);
	pthread_join(thread, NULL);
	printf("{\"counted\": \"%s\", \"messages\": %d, \"bytes\": %d}\n", name,
	       COUNTED_ROUNDS, COUNTED_BYTES);
	return 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the last round of every variant has to copy out. */
#ifndef XS_EXAMPLES_EXPECTED_H
#define XS_EXAMPLES_EXPECTED_H

#include "../validate/steps.h"
#include "worker.h"

/* A word of what is copied in, in the last round. */
static unsigned word_in(const struct shape *s, int input, unsigned i)
{
	const struct buffer *b = &s->in[input];
	const unsigned words = b->words / b->pieces;

	if (i == 0 && !b->constant)
		return (unsigned)(s->rounds - 1);
	return (b->pieces > 1 ? i + i / words * words : i) * FACTOR;
}

static unsigned *expect(const struct shape *s, int output)
{
	const unsigned words = s->out[output].words;
	unsigned *expected = host_buffer(false, words, 0);

	for (int n = 0; n < s->launches; n++) {
		const struct kernel *k = &s->kernels[n];
		const struct step all = all_steps(k->work);

		for (unsigned i = 0; k->output == output && i < words; i++) {
			for (int in = 0; in < s->ins; in++)
				if (k->input == in || k->input == BUFFERS)
					expected[i] +=
					    word_in(s, in, i % s->in[in].words);
			expected[i] = take_steps(expected[i], all, 1);
		}
	}
	return expected;
}

static bool is_right(const struct worker *w, unsigned *const *expected)
{
	const struct shape *s = w->shape;
	const int set = (int)((s->rounds - 1) % w->sets);
	bool right = true;

	for (int i = 0; i < s->outs; i++)
		right = right && memcmp(w->host_out[set][i], expected[i],
					bytes_of(&s->out[i])) == 0;
	return right;
}

#endif

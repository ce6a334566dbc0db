/* SPDX-License-Identifier: MIT */
/* The arithmetic of kernels whose work can be chosen: steps on an int. */
#ifndef XS_EXAMPLES_STEPS_H
#define XS_EXAMPLES_STEPS_H

/* Kernels get both numbers at run time: the compiler would combine several
 * steps with constants. */
struct step {
	unsigned factor, addend; /* x becomes factor * x + addend */
};

static const struct step one_step = {1664525, 1013904223};

__host__ __device__ static inline unsigned
take_steps(unsigned x, struct step step, int count)
{
	for (int done = 0; done < count; done++)
		x = step.factor * x + step.addend;
	return x;
}

/* Combines `count` steps: each turns a x + b into f (a x + b) + c. */
static inline struct step all_steps(int count)
{
	struct step all = {1, 0};

	for (int done = 0; done < count; done++) {
		all.factor = one_step.factor * all.factor;
		all.addend = one_step.factor * all.addend + one_step.addend;
	}
	return all;
}

#endif

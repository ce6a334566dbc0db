/* SPDX-License-Identifier: MIT */
/* Shared by the tests of model/. */
#pragma once

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine/machine.h"
#include "model/strategies/model.h"
#include "tests/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Equal to within a millionth of the larger value, or a thousandth of a ns. */
#define assert_near(a, b)                                                      \
	assert_close_to((a), (b), 1e-6, #a " against " #b, __FILE__, __LINE__)

static inline void assert_close_to(double a, double b, double relative,
				   const char *what, const char *file, int line)
{
	const double most = fmax(relative * fmax(fabs(a), fabs(b)), 1e-3);

	if (fabs(a - b) <= most)
		return;
	print_error("%s: %.9g and %.9g\n", what, a, b);
	_fail(file, line);
}

/* Returns a shipped profile; fails the test if it cannot be read. */
static inline struct xs_machine shipped(const char *name)
{
	struct xs_machine machine;
	char error[400] = "";

	setenv("XFERSPY_MACHINES", XS_SOURCE_DIR "/examples/machines", 1);
	if (xs_machine_load(name, &machine, error, sizeof(error)))
		fail_msg("%s", error);
	return machine;
}

static inline void set_param(struct xs_param *param, double value)
{
	*param = (struct xs_param){value, value, value};
}

/* Returns the spread of times that are all the same. */
static inline struct xs_spread always(uint64_t ns)
{
	return (struct xs_spread){ns, ns, ns};
}

/* Returns a shipped profile without ranges. */
static inline struct xs_machine shipped_exact(const char *name)
{
	struct xs_machine machine = shipped(name);

#define XS_EXACT(param, unit, what)                                            \
	set_param(&machine.param, machine.param.value);
	XS_MACHINE_PARAMS(XS_EXACT)
#undef XS_EXACT
	return machine;
}

/* Returns a pseudo-random number between low and high. */
static inline double random_between(uint64_t *state, double low, double high)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(*state >> 11) / 0x1p53;
}

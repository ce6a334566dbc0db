/* SPDX-License-Identifier: MIT */
/* Pageable and huge: copies of 256 MiB each way around one short kernel. */
#include "pattern.h"

int main(int argc, char **argv)
{
	const struct program<struct arrays> program = {
		arrays_set_up, arrays_tear_down, arrays_serial, arrays_mapped,
		    arrays_in, arrays_compute, arrays_out, NULL,
		    arrays_are_right
	};
	struct arrays job = {};

	job.baseline = PAGEABLE;
	job.options.n = 256 << 20;
	job.work = 50;
	return run_pattern(argc, argv, "huge", &job,
			   OFFERS(PINNED) | OFFERS(STREAMS) | OFFERS(MAPPED) |
			       OFFERS(DOUBLE_BUFFER),
			   &program);
}

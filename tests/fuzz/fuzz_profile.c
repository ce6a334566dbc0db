/* SPDX-License-Identifier: MIT */
/* A machine profile: read, written, and used for a report on a fixed trace. */
#include "tests/fuzz/fuzz.h"

#include "analyzer/timeline/load_trace.h"
#include "model/machine/machine_json.h"
#include "report/build/read.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Read once; it stays until the process ends. */
static const struct xs_trace *fixed_trace(void)
{
	static struct xs_trace *trace;
	const char *error;

	if (!trace &&
	    xs_trace_read(XS_SOURCE_DIR "/tests/report/traces/two-kernels.txt",
			  &trace, &error))
		abort();
	return trace;
}

static void use(const struct xs_machine *machine)
{
	const struct xs_result_options options = {.machine = machine};
	struct xs_result *result =
	    xs_result_build(fixed_trace(), "trace", &options);

	xs_fuzz_render(result);
	xs_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int file = memfd_create("profile", MFD_CLOEXEC);
	struct xs_machine machine;
	char path[64], error[512];

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	xs_machine_init(&machine);
	if (xs_machine_read_json(path, &machine, error, sizeof(error)) == 0)
		use(&machine);
	close(file);
	return 0;
}

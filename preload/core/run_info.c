/* SPDX-License-Identifier: MIT */
#include "preload/core/run_info.h"
#include "preload/trace/info.h"
#include "preload/trace/summary.h"
#include "preload/trace_name.h"
#include "preload/util/clock.h"
#include "preload/util/config.h"
#include "preload/util/injection.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes the command line, its words separated by spaces. */
static void write_app(void)
{
	static char text[XS_RECORD_MAX_BYTES];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	text[n] = '\0';
	xs_trace_info("app", "%s", text);
}

/* Writes the variables as they are when the driver is about to start. */
static void write_connections(void)
{
	static const char *const variables[] = {
	    "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_MAX_COPY_CONNECTIONS"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const unsigned number = xs_config_connections(variables[i]);

		if (number)
			xs_trace_info(variables[i], "%u", number);
	}
}

static void write_wrong(const char *assignment,
			const struct xs_config_variable *variable)
{
	char text[512];

	if (variable)
		snprintf(text, sizeof(text), "%.200s is not valid (%s); %s",
			 assignment, variable->values, variable->otherwise);
	else
		snprintf(text, sizeof(text),
			 "%.*s is no variable of xferspy; it is ignored",
			 (int)strcspn(assignment, "="), assignment);
	xs_trace_info("note", "%s", text);
	if (strcmp(xs_trace_name_launcher().rank, "0") == 0)
		xs_summary_print_wrong(text);
}

void xs_run_info_write(void)
{
	const char *other = xs_injection_other();
	const char *of_nvtx = xs_injection_other_of_nvtx();
	enum xs_hash_mode hash = xs_config_hash();
	const struct xs_launcher launcher = xs_trace_name_launcher();
	char host[256] = "";
	unsigned node;

	gethostname(host, sizeof(host) - 1);
	write_app();
	xs_trace_info("began", "%" PRIu64, xs_clock_realtime_ns());
	xs_trace_info("host", "%s", host);
	xs_trace_info("rank", "%s", launcher.rank);
	if (launcher.ranks)
		xs_trace_info("ranks", "%s", launcher.ranks);
	if (*launcher.job)
		xs_trace_info("job", "%s.%s", launcher.job, launcher.step);
	if (getcpu(NULL, &node) == 0)
		xs_trace_info("numa_node", "%u", node);
	xs_trace_info("xferspy", "%s", XS_VERSION);
	write_connections();
	if (hash != XS_HASH_OFF)
		xs_trace_info("hash", "%s",
			      hash == XS_HASH_FULL ? "full" : "sampled");
	xs_trace_info("mode", "%s", xs_config_mode_name(xs_config_mode()));
	xs_config_check(write_wrong);
	if (other)
		xs_trace_info(
		    "note",
		    "another tool's library is in this process, too "
		    "(CUDA_INJECTION64_PATH=%s): it was not replaced; "
		    "times are longer if it slows the program",
		    other);
	if (of_nvtx)
		xs_trace_info("note",
			      "another tool records the NVTX ranges "
			      "(" XS_INJECTION_NVTX "=%s): they are not here",
			      of_nvtx);
}

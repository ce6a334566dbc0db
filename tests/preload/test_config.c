/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "preload/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void pattern_is_filled_in(void **state)
{
	char path[256], host[128] = "", expected[300];

	(void)state;
	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	gethostname(host, sizeof(host) - 1);
	assert_int_equal(
	    xs_config_path("/t/%p-%r.%h%%%z%", 42, path, sizeof(path)), 0);
	snprintf(expected, sizeof(expected), "/t/42-7.%s%%%%z%%", host);
	assert_string_equal(path, expected);
	unsetenv("OMPI_COMM_WORLD_RANK");
}

static void default_names_host_and_pid(void **state)
{
	char path[256], host[128] = "", expected[300];

	(void)state;
	gethostname(host, sizeof(host) - 1);
	snprintf(expected, sizeof(expected), "xferspy.%s.9.xspy", host);
	assert_int_equal(xs_config_path(NULL, 9, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
	assert_int_equal(xs_config_path("", 9, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
}

static void path_that_does_not_fit_is_refused(void **state)
{
	char path[8] = "";

	(void)state;
	assert_int_equal(xs_config_path("1234567", 1, path, 8), 0);
	assert_string_equal(path, "1234567");
	assert_int_equal(xs_config_path("12345678", 1, path, 8), -ENAMETOOLONG);
	assert_int_equal(xs_config_path("12345%p", 123, path, 8),
			 -ENAMETOOLONG);
}

static void rank_comes_from_any_launcher(void **state)
{
	(void)state;
	unsetenv("SLURM_PROCID");
	assert_string_equal(xs_config_rank(), "0");
	setenv("SLURM_PROCID", "31", 1);
	assert_string_equal(xs_config_rank(), "31");
	setenv("PMI_RANK", "5", 1);
	assert_string_equal(xs_config_rank(), "5");
	unsetenv("PMI_RANK");
	unsetenv("SLURM_PROCID");
}

static void modes(void **state)
{
	(void)state;
	unsetenv("XFERSPY_MODE");
	assert_int_equal(xs_config_mode(), XS_MODE_TRACE);
	assert_null(xs_config_unknown_mode());
	setenv("XFERSPY_MODE", "off", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_OFF);
	setenv("XFERSPY_MODE", "calls", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_CALLS);
	assert_null(xs_config_unknown_mode());
	setenv("XFERSPY_MODE", "counters", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_COUNTERS);
	assert_null(xs_config_unknown_mode());
	assert_string_equal(xs_config_mode_name(XS_MODE_COUNTERS), "counters");
	setenv("XFERSPY_MODE", "of", 1);
	assert_int_equal(xs_config_mode(), XS_MODE_TRACE);
	assert_string_equal(xs_config_unknown_mode(), "of");
	unsetenv("XFERSPY_MODE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pattern_is_filled_in),
	    cmocka_unit_test(default_names_host_and_pid),
	    cmocka_unit_test(path_that_does_not_fit_is_refused),
	    cmocka_unit_test(rank_comes_from_any_launcher),
	    cmocka_unit_test(modes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

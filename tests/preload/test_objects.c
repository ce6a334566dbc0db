/* SPDX-License-Identifier: MIT */
/* Which objects bring a CUDA runtime. */
#include "unit.h"

#include "preload/util/cudart_objects.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define OBJECT(name) XS_TEST_OBJECTS "/libxs_object_" name ".so"

static char listed[1 << 16];

static void keep(const char *line)
{
	const size_t used = strlen(listed);

	snprintf(listed + used, sizeof(listed) - used, "%s\n", line);
}

/* Whether the object is listed once it is loaded. */
static bool brings(const char *path, const char *line)
{
	void *object = dlopen(path, RTLD_LAZY);

	assert_non_null(object);
	listed[0] = '\0';
	xs_cudart_objects_list(keep);
	dlclose(object);
	return strstr(listed, line);
}

static void a_runtime_that_is_linked_into_an_object(void **state)
{
	(void)state;
	assert_true(brings(OBJECT("device_code"),
			   "static:" OBJECT("device_code") "\n"));
	assert_false(brings(OBJECT("plain"), OBJECT("plain")));
}

/* Its device code is registered with the runtime of the program, say. */
static void a_runtime_that_is_anothers(void **state)
{
	(void)state;
	assert_false(brings(OBJECT("registers"), OBJECT("registers")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_runtime_that_is_linked_into_an_object),
	    cmocka_unit_test(a_runtime_that_is_anothers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

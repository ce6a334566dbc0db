/* SPDX-License-Identifier: MIT */
/* Detects objects that contain a CUDA runtime. */
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

/* Returns whether the object is listed once it is loaded. */
static bool contains_runtime(const char *path, const char *line)
{
	void *object = dlopen(path, RTLD_LAZY);

	assert_non_null(object);
	listed[0] = '\0';
	xs_cudart_objects_list(keep);
	dlclose(object);
	return strstr(listed, line);
}

static void runtime_linked_into_an_object(void **state)
{
	(void)state;
	assert_true(contains_runtime(OBJECT("device_code"),
				     "static:" OBJECT("device_code") "\n"));
	assert_false(contains_runtime(OBJECT("plain"), OBJECT("plain")));
}

/* It registers its device code with another object's runtime. */
static void runtime_of_another_object(void **state)
{
	(void)state;
	assert_false(
	    contains_runtime(OBJECT("registers"), OBJECT("registers")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runtime_linked_into_an_object),
	    cmocka_unit_test(runtime_of_another_object),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

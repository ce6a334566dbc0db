/* SPDX-License-Identifier: MIT */
/* Detects objects that may call CUDA without passing the hooks. */
#include "unit.h"

#include "preload/api/unhooked_objects.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OBJECT(name) XS_TEST_OBJECTS "/libxs_object_" name ".so"

static void *load(const char *path)
{
	void *object = dlopen(path, RTLD_LAZY);

	if (!object) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(2);
	}
	return object;
}

/* It is the first object found, and stays the result. */
static bool is_found(const char *path)
{
	const char *found = xs_unhooked_objects_find();

	if (found && strcmp(found, path) != 0) {
		fprintf(stderr, "found %s\n", found);
		_exit(2);
	}
	return found;
}

/* Runs `act` in a child, since a result is permanent. Returns its result. */
static int in_child(int (*act)(const char *path), const char *path)
{
	const pid_t child = fork();
	int status;

	if (child == 0)
		_exit(act(path));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int load_and_look(const char *path)
{
	if (xs_unhooked_objects_find())
		return 3;
	load(path);
	return is_found(path);
}

static bool is_found_when_loaded(const char *path)
{
	const int found = in_child(load_and_look, path);

	assert_in_range(found, 0, 1);
	return found;
}

static void users_of_the_driver_are_found(void **state)
{
	(void)state;
	assert_true(is_found_when_loaded(OBJECT("calls_driver")));
	assert_true(is_found_when_loaded(OBJECT("takes_driver")));
	assert_true(is_found_when_loaded(OBJECT("looks_up")));
}

static void unhooked_runtime_functions_are_found(void **state)
{
	(void)state;
	assert_true(is_found_when_loaded(OBJECT("calls_unhooked")));
	assert_false(is_found_when_loaded(OBJECT("calls_hooked")));
}

static void linked_runtime_is_found(void **state)
{
	(void)state;
	assert_true(is_found_when_loaded(OBJECT("device_code")));
	assert_false(is_found_when_loaded(OBJECT("registers")));
	assert_false(is_found_when_loaded(OBJECT("plain")));
}

/* Another object may have the address of one that was examined. */
static int load_after_others(const char *path)
{
	for (int i = 0; i < 3; i++) {
		void *plain = load(OBJECT("plain"));

		if (xs_unhooked_objects_find())
			return 3;
		dlclose(plain);
	}
	load(path);
	if (!is_found(path))
		return 4;
	load(OBJECT("calls_driver"));
	return is_found(path) ? 0 : 5;
}

static void new_object_at_an_old_address_is_found(void **state)
{
	(void)state;
	assert_int_equal(in_child(load_after_others, OBJECT("device_code")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(users_of_the_driver_are_found),
	    cmocka_unit_test(unhooked_runtime_functions_are_found),
	    cmocka_unit_test(linked_runtime_is_found),
	    cmocka_unit_test(new_object_at_an_old_address_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

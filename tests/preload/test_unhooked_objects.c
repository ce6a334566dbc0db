/* SPDX-License-Identifier: MIT */
/* Which objects may call CUDA past the hooks. */
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

/* It is the first that is found, and stays so. */
static bool is_found(const char *path)
{
	const char *found = xs_unhooked_objects_find();

	if (found && strcmp(found, path) != 0) {
		fprintf(stderr, "found %s\n", found);
		_exit(2);
	}
	return found;
}

/* What it returns, in a child: what was found is for good. */
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

static void functions_of_the_runtime_that_are_not_hooked(void **state)
{
	(void)state;
	assert_true(is_found_when_loaded(OBJECT("calls_unhooked")));
	assert_false(is_found_when_loaded(OBJECT("calls_hooked")));
}

static void a_runtime_of_its_own(void **state)
{
	(void)state;
	assert_true(is_found_when_loaded(OBJECT("device_code")));
	assert_false(is_found_when_loaded(OBJECT("registers")));
	assert_false(is_found_when_loaded(OBJECT("plain")));
}

/* Another may lie where one was that was looked at. */
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

static void who_comes_when_others_go_is_looked_at(void **state)
{
	(void)state;
	assert_int_equal(in_child(load_after_others, OBJECT("device_code")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(users_of_the_driver_are_found),
	    cmocka_unit_test(functions_of_the_runtime_that_are_not_hooked),
	    cmocka_unit_test(a_runtime_of_its_own),
	    cmocka_unit_test(who_comes_when_others_go_is_looked_at),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

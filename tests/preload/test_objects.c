/* SPDX-License-Identifier: MIT */
/* Detects objects that contain a CUDA runtime, and finds their functions. */
#include "tests/unit.h"

#include "preload/util/cudart_objects.h"
#include "preload/util/symbol_table.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define OBJECT(name) XS_TEST_OBJECTS "/libxs_object_" name ".so"

#define LISTS 3000

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

TEST(runtime_linked_into_an_object)
{
	assert_true(contains_runtime(OBJECT("device_code"),
				     "static:" OBJECT("device_code") "\n"));
	assert_false(contains_runtime(OBJECT("plain"), OBJECT("plain")));
}

/* It registers its device code with another object's runtime. */
TEST(runtime_of_another_object)
{
	assert_false(
	    contains_runtime(OBJECT("registers"), OBJECT("registers")));
}

/* pthread_cond_wait() has two versions. */
TEST(functions_are_those_of_dlsym)
{
	static const char *const names[] = {"puts", "qsort",
					    "pthread_cond_wait"};
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map;

	assert_non_null(libc);
	assert_int_equal(dlinfo(libc, RTLD_DI_LINKMAP, &map), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_ptr_equal(xs_symbol_table_function(map, names[i]),
				 dlsym(libc, names[i]));
	assert_null(xs_symbol_table_function(map, "cudaMalloc"));
	assert_null(xs_symbol_table_function(map, "environ"));
	dlclose(libc);
}

static void ignore(const char *line)
{
	(void)line;
}

static void *load_and_unload(void *done)
{
	while (!atomic_load((atomic_bool *)done)) {
		void *plain = dlopen(OBJECT("plain"), RTLD_LAZY);
		void *code = dlopen(OBJECT("device_code"), RTLD_LAZY);

		dlclose(plain);
		dlclose(code);
	}
	return NULL;
}

/* The loader's entries are filled with a pattern when they are freed. */
TEST(list_while_another_thread_unloads)
{
	atomic_bool done = false;
	pthread_t thread;

#ifdef __SANITIZE_THREAD__
	skip(); /* it does not see the loader's lock */
#endif
	mallopt(M_PERTURB, 0xa5);
	assert_int_equal(pthread_create(&thread, NULL, load_and_unload, &done),
			 0);
	for (int i = 0; i < LISTS; i++)
		xs_cudart_objects_list(ignore);
	atomic_store(&done, true);
	pthread_join(thread, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "preload/sites/module.h"
#include "preload/sites/module_generation.h"
#include "preload/sites/object.h"
#include "preload/trace/strings.h"
#include "preload/util/intern.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_intern modules; /* "base path" -> number + 1 */
static uint32_t next_module;

/* Returns 0 or -ENOSPC. */
static int write_module(struct xs_writer *writer, uint32_t number,
			const struct xs_object *module)
{
	struct xs_rec_module record = {XS_RECORD(module), .module = number,
				       .path = xs_strings_new_id()};

	if (xs_writer_string(writer, record.path, module->path))
		return -ENOSPC;
	if (module->build_id[0]) {
		record.build_id = xs_strings_new_id();
		if (xs_writer_string(writer, record.build_id, module->build_id))
			return -ENOSPC;
	}
	return xs_writer_plain(writer, &record, NULL, 0);
}

uint32_t xs_module_id(struct xs_writer *writer, uintptr_t address,
		      uint64_t *offset)
{
	struct xs_object module;
	char key[PATH_MAX + 32];
	uint32_t *number;
	uint32_t id = XS_NONE32;
	int length;

	if (xs_object_find(address, &module))
		return XS_NONE32;
	*offset = address - module.base;
	/* The base address distinguishes an object from another one that was
	 * loaded in its place. */
	length = snprintf(key, sizeof(key), "%zx %s", (size_t)module.base,
			  module.path);

	pthread_mutex_lock(&lock);
	number = xs_intern_number(&modules, key, (size_t)length);
	if (number && *number == 0 &&
	    write_module(writer, next_module, &module) == 0)
		*number = ++next_module;
	if (number && *number)
		id = *number - 1;
	pthread_mutex_unlock(&lock);
	xs_module_generation_track(&module, address);
	return id;
}

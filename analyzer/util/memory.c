/* SPDX-License-Identifier: MIT */
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

void (*xs_end)(const char *why);

static __attribute__((noreturn)) void end(const char *why)
{
	if (xs_end)
		xs_end(why);
	abort();
}

void xs_no_memory(void)
{
	end("Cannot allocate memory; free some memory");
}

void xs_too_many(void)
{
	end("a trace has more than 2,147,483,648 records of a kind; trace a "
	    "part of the run");
}

/* An empty array may have no memory. */
static void *checked(void *memory, size_t bytes)
{
	if (!memory && bytes)
		xs_no_memory();
	return memory;
}

void *xs_malloc(size_t bytes)
{
	return checked(malloc(bytes), bytes);
}

void *xs_calloc(size_t count, size_t bytes)
{
	return checked(calloc(count, bytes), count && bytes);
}

void *xs_realloc(void *memory, size_t bytes)
{
	return checked(realloc(memory, bytes), bytes);
}

char *xs_strdup(const char *text)
{
	return checked(strdup(text), 1);
}

char *xs_strndup(const char *text, size_t bytes)
{
	return checked(strndup(text, bytes), 1);
}

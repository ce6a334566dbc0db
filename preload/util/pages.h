/* SPDX-License-Identifier: MIT */
/* Memory that does not come from the application's malloc(). */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

/* Returns zeroed pages, which munmap() frees, or NULL. */
static inline void *xs_pages_map(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* SPDX-License-Identifier: MIT */
/* Memory that never lacks: without it, the process ends. */
#pragma once

#include <stddef.h>

/* Called if there is no memory, which analyses need little of beside their
 * trace, or if an array has too many items: so no caller has to look. The
 * command sets what tells why and ends the process. */
__attribute__((noreturn)) void xs_no_memory(void);
__attribute__((noreturn)) void xs_too_many(void);
extern void (*xs_end)(const char *why);

/* Like those of the C library. */
void *xs_malloc(size_t bytes);
void *xs_calloc(size_t count, size_t bytes);
void *xs_realloc(void *memory, size_t bytes);
char *xs_strdup(const char *text);
char *xs_strndup(const char *text, size_t bytes);

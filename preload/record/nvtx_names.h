/* SPDX-License-Identifier: MIT */
/* The names of NVTX ranges and domains. Each text has one number in the
 * process, and one string in the trace. Lock-free: signal handlers and children
 * of a fork may add names, too. */
#pragma once

#include "preload/trace/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are 1 to this. Further names have number 0. */
#define XS_NVTX_NAMES_MOST 8192u

/* The number of domains for whose names there is no room. It has no string. */
#define XS_NVTX_NO_ROOM (XS_NVTX_NAMES_MOST + 1)

/* Bytes of a name that are kept. */
#define XS_NVTX_NAME_BYTES 243u

/* Reserves memory for names. Returns false if there is none. */
bool xs_nvtx_names_open(void);

/* Returns the number of a name, 0 if there is no room for it. PyTorch appends
 * numbers that differ in each range (", seq = 7", ", op_id = 9"): they are not
 * part of the name. */
uint32_t xs_nvtx_name(const char *text);
uint32_t xs_nvtx_name_wide(const wchar_t *text);

/* Returns whether a name has this number. */
bool xs_nvtx_name_exists(uint64_t number);

/* Returns the string id of a number; 0 for number 0 and XS_NVTX_NO_ROOM, or if
 * there was no room to write the string. */
uint32_t xs_nvtx_name_string(uint32_t number, struct xs_writer *writer);

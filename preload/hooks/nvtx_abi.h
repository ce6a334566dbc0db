/* SPDX-License-Identifier: MIT */
/* The binary interface between NVTX and a tool, as NVTX's documentation and
 * headers (version 3) publish it: what we need of it. Each library that uses
 * NVTX contains a copy of its functions, and attaches the tool by itself. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

typedef void xs_nvtx_fn(void);

/* Returns a table of the attaching copy. */
typedef const void *xs_nvtx_get_table(uint32_t table);
#define XS_NVTX_TABLE_CALLBACKS 1u

/* The table of callbacks. get() stores an array of pointers to the pointers
 * that the functions of the module call, and its largest index. Returns 0 for
 * an unknown module. */
struct xs_nvtx_callbacks {
	size_t struct_size;
	int (*get)(uint32_t module, xs_nvtx_fn ****pointers,
		   unsigned int *last);
};

enum xs_nvtx_module {
	XS_NVTX_CORE = 1,
	XS_NVTX_CORE2 = 5, /* with domains */
};

/* Indices into the arrays. */
enum xs_nvtx_core {
	XS_NVTX_RANGE_START_EX = 4,
	XS_NVTX_RANGE_START_A = 5,
	XS_NVTX_RANGE_START_W = 6,
	XS_NVTX_RANGE_END = 7,
	XS_NVTX_RANGE_PUSH_EX = 8,
	XS_NVTX_RANGE_PUSH_A = 9,
	XS_NVTX_RANGE_PUSH_W = 10,
	XS_NVTX_RANGE_POP = 11,
};

enum xs_nvtx_core2 {
	XS_NVTX_DOMAIN_RANGE_START_EX = 2,
	XS_NVTX_DOMAIN_RANGE_END = 3,
	XS_NVTX_DOMAIN_RANGE_PUSH_EX = 4,
	XS_NVTX_DOMAIN_RANGE_POP = 5,
	XS_NVTX_DOMAIN_REGISTER_STRING_A = 10,
	XS_NVTX_DOMAIN_REGISTER_STRING_W = 11,
	XS_NVTX_DOMAIN_CREATE_A = 12,
	XS_NVTX_DOMAIN_CREATE_W = 13,
};

enum xs_nvtx_message_type {
	XS_NVTX_MESSAGE_ASCII = 1,
	XS_NVTX_MESSAGE_UNICODE = 2, /* wchar_t */
	XS_NVTX_MESSAGE_REGISTERED = 3,
};

/* nvtxEventAttributes_t. size: bytes that the caller has filled. */
struct xs_nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type; /* enum xs_nvtx_message_type */
	union {
		const char *ascii;
		const wchar_t *unicode;
		uintptr_t registered; /* as the tool has returned it */
	} message;
};
_Static_assert(sizeof(struct xs_nvtx_attributes) == 48, "NVTX's layout");

/* What push and pop return while no tool counts the levels. */
#define XS_NVTX_NO_LEVEL (-2)

/* SPDX-License-Identifier: MIT */
/*
 * The entry point of NVTX_INJECTION64_PATH, and the functions that NVTX calls
 * from then on. A handle that we give out is the number of a name. Push and pop
 * return what they do without a tool.
 */
#include "preload/hooks/nvtx_abi.h"
#include "preload/record/nvtx_names.h"
#include "preload/record/nvtx_ranges.h"
#include "preload/trace/session.h"
#include "preload/util/config.h"
#include "preload/util/export.h"
#include "preload/util/guard.h"

#include <errno.h>

XS_EXPORT int InitializeInjectionNvtx2(xs_nvtx_get_table *get_table);

static uint32_t number_of(uintptr_t handle)
{
	return xs_nvtx_name_exists(handle) ? (uint32_t)handle : 0;
}

/* Handle 0 is the default domain. */
static uint32_t domain_of(uintptr_t handle)
{
	return handle && !xs_nvtx_name_exists(handle) ? XS_NVTX_NO_ROOM
						      : (uint32_t)handle;
}

static uint32_t name_ascii(const char *text)
{
	return text ? xs_nvtx_name(text) : 0;
}

static uint32_t name_wide(const wchar_t *text)
{
	return text ? xs_nvtx_name_wide(text) : 0;
}

static uint32_t name_of(const struct xs_nvtx_attributes *attributes)
{
	if (!xs_nvtx_wants_names())
		return XS_NVTX_UNWANTED;
	if (!attributes || attributes->size < sizeof(*attributes))
		return 0;
	switch (attributes->message_type) {
	case XS_NVTX_MESSAGE_ASCII:
		return name_ascii(attributes->message.ascii);
	case XS_NVTX_MESSAGE_UNICODE:
		return name_wide(attributes->message.unicode);
	case XS_NVTX_MESSAGE_REGISTERED:
		return number_of(attributes->message.registered);
	default:
		return 0;
	}
}

/* Names of ranges that will not be written take no place. */
static uint32_t range_ascii(const char *text)
{
	return xs_nvtx_wants_names() ? name_ascii(text) : XS_NVTX_UNWANTED;
}

static uint32_t range_wide(const wchar_t *text)
{
	return xs_nvtx_wants_names() ? name_wide(text) : XS_NVTX_UNWANTED;
}

static int push(uint32_t domain, uint32_t name)
{
	xs_nvtx_push(domain, name);
	return XS_NVTX_NO_LEVEL;
}

static int push_ex(const struct xs_nvtx_attributes *attributes)
{
	return push(0, name_of(attributes));
}

static int push_ascii(const char *text)
{
	return push(0, range_ascii(text));
}

static int push_wide(const wchar_t *text)
{
	return push(0, range_wide(text));
}

static int pop(void)
{
	xs_nvtx_pop(0);
	return XS_NVTX_NO_LEVEL;
}

static uint64_t start_ex(const struct xs_nvtx_attributes *attributes)
{
	return xs_nvtx_start(0, name_of(attributes));
}

static uint64_t start_ascii(const char *text)
{
	return xs_nvtx_start(0, range_ascii(text));
}

static uint64_t start_wide(const wchar_t *text)
{
	return xs_nvtx_start(0, range_wide(text));
}

static int domain_push(uintptr_t domain,
		       const struct xs_nvtx_attributes *attributes)
{
	return push(domain_of(domain), name_of(attributes));
}

static int domain_pop(uintptr_t domain)
{
	xs_nvtx_pop(domain_of(domain));
	return XS_NVTX_NO_LEVEL;
}

static uint64_t domain_start(uintptr_t domain,
			     const struct xs_nvtx_attributes *attributes)
{
	return xs_nvtx_start(domain_of(domain), name_of(attributes));
}

static void domain_end(uintptr_t domain, uint64_t id)
{
	(void)domain;
	xs_nvtx_end(id);
}

static uintptr_t domain_register(uintptr_t domain, const char *text)
{
	(void)domain;
	return name_ascii(text);
}

static uintptr_t domain_register_wide(uintptr_t domain, const wchar_t *text)
{
	(void)domain;
	return name_wide(text);
}

static uintptr_t domain_create(const char *name)
{
	const uint32_t number = name_ascii(name);

	return number ? number : XS_NVTX_NO_ROOM;
}

static uintptr_t domain_create_wide(const wchar_t *name)
{
	const uint32_t number = name_wide(name);

	return number ? number : XS_NVTX_NO_ROOM;
}

struct entry {
	unsigned int index;
	xs_nvtx_fn *function;
};

#define ENTRY(index, function)                                                 \
	{                                                                      \
		index, (xs_nvtx_fn *)(function)                                \
	}

static const struct entry core[] = {
    ENTRY(XS_NVTX_RANGE_START_EX, start_ex),
    ENTRY(XS_NVTX_RANGE_START_A, start_ascii),
    ENTRY(XS_NVTX_RANGE_START_W, start_wide),
    ENTRY(XS_NVTX_RANGE_END, xs_nvtx_end),
    ENTRY(XS_NVTX_RANGE_PUSH_EX, push_ex),
    ENTRY(XS_NVTX_RANGE_PUSH_A, push_ascii),
    ENTRY(XS_NVTX_RANGE_PUSH_W, push_wide),
    ENTRY(XS_NVTX_RANGE_POP, pop),
    {0},
};

static const struct entry core2[] = {
    ENTRY(XS_NVTX_DOMAIN_RANGE_START_EX, domain_start),
    ENTRY(XS_NVTX_DOMAIN_RANGE_END, domain_end),
    ENTRY(XS_NVTX_DOMAIN_RANGE_PUSH_EX, domain_push),
    ENTRY(XS_NVTX_DOMAIN_RANGE_POP, domain_pop),
    ENTRY(XS_NVTX_DOMAIN_REGISTER_STRING_A, domain_register),
    ENTRY(XS_NVTX_DOMAIN_REGISTER_STRING_W, domain_register_wide),
    ENTRY(XS_NVTX_DOMAIN_CREATE_A, domain_create),
    ENTRY(XS_NVTX_DOMAIN_CREATE_W, domain_create_wide),
    {0},
};

static void attach(const struct xs_nvtx_callbacks *callbacks,
		   enum xs_nvtx_module module, const struct entry *entries)
{
	xs_nvtx_fn ***pointers = NULL;
	unsigned int last = 0;

	if (!callbacks->get(module, &pointers, &last) || !pointers)
		return;
	for (; entries->function; entries++)
		if (entries->index <= last)
			*pointers[entries->index] = entries->function;
}

struct attaching {
	xs_nvtx_get_table *get_table;
	bool attached;
};

static void attach_all(void *data)
{
	struct attaching *attaching = data;
	const struct xs_nvtx_callbacks *callbacks;

	if (xs_config_is_off() ||
	    atomic_load(&xs_session_state) == XS_SESSION_OFF)
		return;
	callbacks = attaching->get_table(XS_NVTX_TABLE_CALLBACKS);
	if (!callbacks || callbacks->struct_size < sizeof(*callbacks) ||
	    !xs_nvtx_ranges_open())
		return;
	attach(callbacks, XS_NVTX_CORE, core);
	attach(callbacks, XS_NVTX_CORE2, core2);
	attaching->attached = true;
}

/* Without us, NVTX's functions do nothing. */
int InitializeInjectionNvtx2(xs_nvtx_get_table *get_table)
{
	struct attaching attaching = {.get_table = get_table};
	const int kept_errno = errno;

	xs_guard_run(attach_all, &attaching);
	errno = kept_errno;
	return attaching.attached;
}

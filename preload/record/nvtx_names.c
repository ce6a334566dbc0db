/* SPDX-License-Identifier: MIT */
#include "preload/record/nvtx_names.h"
#include "preload/trace/strings.h"
#include "preload/util/hot.h"
#include "preload/util/intern.h"
#include "preload/util/utf8.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

#define SLOTS (2 * XS_NVTX_NAMES_MOST)

struct name {
	uint32_t hash;
	uint32_t string;     /* its id in the trace */
	atomic_bool written; /* the trace has the string */
	uint8_t bytes;
	char text[XS_NVTX_NAME_BYTES + 3];
};
_Static_assert(sizeof(struct name) == 256, "names lie in few cache lines");

/* Memory is used only as far as names exist. */
struct names {
	_Atomic uint32_t count; /* may exceed the maximum */
	_Atomic uint32_t slots[SLOTS];
	struct name items[XS_NVTX_NAMES_MOST]; /* number - 1 */
};

static struct names *_Atomic names;

bool xs_nvtx_names_open(void)
{
	struct names *none = NULL;
	void *memory;

	if (atomic_load(&names))
		return true;
	memory = mmap(NULL, sizeof(*none), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	if (!atomic_compare_exchange_strong(&names, &none, memory))
		munmap(memory, sizeof(*none));
	return true;
}

/* Returns the number of bytes before what PyTorch appends. */
static size_t without_counters(const char *text, size_t bytes)
{
	static const char *const begins[] = {", seq = ", ", op_id = "};
	const char *comma = memchr(text, ',', bytes);

	for (size_t i = 0; comma && i < sizeof(begins) / sizeof(*begins); i++) {
		const char *begin =
		    memmem(comma, bytes - (size_t)(comma - text), begins[i],
			   strlen(begins[i]));

		if (begin)
			return (size_t)(begin - text);
	}
	return bytes;
}

/* Adds a name that no slot has yet. Returns its number, 0 if there is no
 * room. */
XS_COLD static uint32_t add(struct names *n, const char *text, size_t bytes,
			    uint32_t hash)
{
	const uint32_t index = atomic_load(&n->count) < XS_NVTX_NAMES_MOST
				   ? atomic_fetch_add(&n->count, 1)
				   : XS_NVTX_NAMES_MOST;
	struct name *name;

	if (index >= XS_NVTX_NAMES_MOST)
		return 0;
	name = &n->items[index];
	name->hash = hash;
	name->string = xs_strings_new_id();
	name->bytes = (uint8_t)bytes;
	memcpy(name->text, text, bytes);
	return index + 1;
}

static bool is(const struct name *name, const char *text, size_t bytes,
	       uint32_t hash)
{
	return name->hash == hash && name->bytes == bytes &&
	       memcmp(name->text, text, bytes) == 0;
}

/* If another thread adds the same name meanwhile, ours is never used. */
static uint32_t number_of(const char *text, size_t bytes)
{
	struct names *n = atomic_load_explicit(&names, memory_order_acquire);
	const uint32_t hash = (uint32_t)xs_hash(text, bytes);
	uint32_t added = 0, found;

	for (uint32_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
		found =
		    atomic_load_explicit(&n->slots[i], memory_order_acquire);
		if (!found) {
			if (!added)
				added = add(n, text, bytes, hash);
			if (!added || atomic_compare_exchange_strong(
					  &n->slots[i], &found, added))
				return added;
		}
		if (is(&n->items[found - 1], text, bytes, hash))
			return found;
	}
}

uint32_t xs_nvtx_name(const char *text)
{
	const size_t bytes = strnlen(text, XS_NVTX_NAME_BYTES);

	return number_of(text, without_counters(text, bytes));
}

/* A character that does not fit, or is none, ends the name. */
uint32_t xs_nvtx_name_wide(const wchar_t *text)
{
	char utf8[XS_NVTX_NAME_BYTES + XS_UTF8_MOST_BYTES], *end = utf8;

	for (; *text && (uint32_t)*text < 0x110000; text++) {
		char *next = xs_utf8_put(end, (uint32_t)*text);

		if (next > utf8 + XS_NVTX_NAME_BYTES)
			break;
		end = next;
	}
	return number_of(utf8, without_counters(utf8, (size_t)(end - utf8)));
}

bool xs_nvtx_name_exists(uint64_t number)
{
	const struct names *n = atomic_load(&names);
	const uint32_t count = atomic_load(&n->count);

	return number > 0 && number <= XS_NVTX_NAMES_MOST && number <= count;
}

XS_COLD static uint32_t write_string(struct name *name,
				     struct xs_writer *writer)
{
	char text[XS_NVTX_NAME_BYTES + 1];

	if (atomic_exchange(&name->written, true))
		return name->string;
	memcpy(text, name->text, name->bytes);
	text[name->bytes] = '\0';
	if (xs_writer_string(writer, name->string, text) == 0)
		return name->string;
	atomic_store(&name->written, false);
	return 0;
}

uint32_t xs_nvtx_name_string(uint32_t number, struct xs_writer *writer)
{
	struct name *name;

	if (!number || number == XS_NVTX_NO_ROOM)
		return 0;
	name = &atomic_load_explicit(&names, memory_order_acquire)
		    ->items[number - 1];
	return xs_relaxed(&name->written) ? name->string
					  : write_string(name, writer);
}

/* SPDX-License-Identifier: MIT */
/* Compares docs/trace-format.md with the code. */
#include "tests/unit.h"

#include "analyzer/records/record_schema.h"
#include "tests/analyzer/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bytes page;

FIXTURE(load_page)
{
	page = file_bytes(XS_SOURCE_DIR "/docs/trace-format.md");
	return page.size > 0 ? 0 : -1;
}

FIXTURE(free_page)
{
	free(page.data);
	return 0;
}

static void expect(const char *text)
{
	if (!strstr(page.data, text))
		fail_msg("docs/trace-format.md does not have: %s", text);
}

/* Prints the fields of a kind as in its row of the table; calls share their
 * first ones. */
static size_t print_fields(char *out, size_t size,
			   const struct xs_record_schema *kind)
{
	const struct xs_record_schema *call = xs_record_schema_by_name("call");
	size_t first = 0, used = 0;

	if (strlen(kind->name) > 4 && strstr(kind->name, "call")) {
		first = call->layout.count;
		used = (size_t)snprintf(out, size, "as `call`, then ");
	}
	for (size_t i = first; i < kind->layout.count; i++)
		used += (size_t)snprintf(out + used, size - used, "%s`%s` %zu",
					 i > first ? ", " : "",
					 kind->layout.fields[i].name,
					 kind->layout.fields[i].bytes);
	if (kind->text[0])
		used += (size_t)snprintf(out + used, size - used, ", `%s`",
					 kind->text);
	return used;
}

TEST(test_kinds)
{
	size_t count = 0;

	for (unsigned number = 0; number < 256; number++) {
		const struct xs_record_schema *kind =
		    xs_record_schema_by_number(number);
		char row[1000];
		size_t used;

		if (!kind)
			continue;
		used = (size_t)snprintf(row, sizeof(row), "| %u | `%s` | ",
					number, kind->name);
		used += print_fields(row + used, sizeof(row) - used, kind);
		snprintf(row + used, sizeof(row) - used, " |\n");
		expect(row);
		count++;
	}
	assert_true(count > 0);
}

static void check_layout(const struct xs_record_layout *layout)
{
	size_t offset = layout->offset;

	for (size_t i = 0; i < layout->count; i++) {
		char row[200];

		snprintf(row, sizeof(row), "| %zu | %zu | `%s` |", offset,
			 layout->fields[i].bytes, layout->fields[i].name);
		expect(row);
		offset += layout->fields[i].bytes;
	}
}

TEST(test_headers)
{
	check_layout(&xs_file_layout);
	check_layout(&xs_chunk_layout);
}

/* Compares one line of the example with the bytes that the code writes, and
 * zeroes the bytes that it covers. Returns their number; 0: no such line. */
static size_t check_line(const char *line, struct bytes *trace)
{
	unsigned long at;
	size_t count = 0;
	int used = 0;
	unsigned byte;

	if (sscanf(line, "%8lx %n", &at, &used) != 1 || used != 10)
		return 0;
	while (count < 16 && line[10 + 3 * count] != ' ' &&
	       sscanf(line + 10 + 3 * count, "%2x", &byte) == 1) {
		assert_true(at + count < trace->size);
		assert_int_equal((unsigned char)trace->data[at + count], byte);
		trace->data[at + count++] = 0;
	}
	return count;
}

TEST(test_example)
{
	struct bytes text = file_bytes(golden_path("tiny"));
	struct bytes trace = binary_of(text.data);
	char *copy = strdup(page.data), *rest = copy, *line;
	size_t count = 0;

	assert_non_null(copy);
	while ((line = strsep(&rest, "\n")) != NULL)
		count += check_line(line, &trace);
	assert_int_equal(count, 64 + 136 + 80);
	/* bytes that are not shown must be zero */
	for (size_t i = 0; i < trace.size; i++)
		assert_int_equal(trace.data[i], 0);
	free(copy);
	free(trace.data);
	free(text.data);
}

int main(void)
{
	return unit_run(load_page, free_page, NULL, NULL);
}

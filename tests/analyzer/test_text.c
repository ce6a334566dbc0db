/* SPDX-License-Identifier: MIT */
/* The text form: it converts back to the same bytes, and its errors are
 * helpful. */
#include "tests/unit.h"

#include "analyzer/read/text_dump.h"
#include "analyzer/text/trace_text.h"
#include "analyzer/timeline/load_trace.h"
#include "tests/analyzer/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "xferspy-text 1\nheader pid=1\nchunk thread=7 base_ns=5\n"

/* Returns the xs_text_dump() of a binary trace in memory. */
static char *dump_of(const struct bytes *binary)
{
	char path[] = "xs_test_text.XXXXXX";
	int file = mkstemp(path);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *error;
	bool damaged;

	assert_true(file >= 0);
	assert_int_equal(write(file, binary->data, binary->size),
			 (ssize_t)binary->size);
	close(file);
	assert_int_equal(xs_text_dump(path, out, &damaged, &error), 0);
	fclose(out);
	assert_int_equal(damaged, strstr(text, "# damaged") != NULL);
	return text;
}

static void check_round_trip(const struct bytes *binary)
{
	char *text = dump_of(binary);
	struct bytes again = binary_of(text);

	assert_has_not(text, "# damaged");
	assert_int_equal(again.size, binary->size);
	assert_memory_equal(again.data, binary->data, binary->size);
	free(again.data);
	free(text);
}

TEST(test_round_trip_golden)
{
	for (size_t i = 0; i < golden_count; i++) {
		struct bytes text = file_bytes(golden_path(golden_names[i]));
		struct bytes binary = binary_of(text.data);

		check_round_trip(&binary);
		free(binary.data);
		free(text.data);
	}
}

/* Unusual but valid traces. */
TEST(test_round_trip_odd)
{
	struct bytes binary =
	    binary_of("xferspy-text 1\n\n# a comment\n"
		      "header pid=1 state=2 lost_ops=18446744073709551615 "
		      "file_bytes=65536\n"
		      "chunk at=8192 capacity_bytes=8192 thread=4294967295 "
		      "base_ns=18446744073709551615 reserved=3\n"
		      "set value=7 correlation=1 tail=01020304\n"
		      "set value=7 correlation=2 tail=01020304 again=8\n"
		      "again record=3 correlation=2\n"
		      "again record=8 correlation=2 tail=05060708\n"
		      "string id=1 text=\"quote \\\" slash \\\\ tab \\x09 é\"\n"
		      "string id=2 text=\"abcd\" words=4\n"
		      "string id=3 text=\"\"\n"
		      "string id=4 text=\"a\\x00b\"\n"
		      "string id=5 text=\"\u202e \302\233 \\xff\\\"\"\n"
		      "call site=1 start=3 tail=0102030405060708\n"
		      "unknown kind=99 data=0a0b\n"
		      "unknown kind=255 data=010203040506\n"
		      "time zero=9 base_ns=0xffffffffffffffff\n"
		      "chunk capacity_bytes=4096\n"
		      "chunk at=32768 used_bytes=32\n");

	assert_int_equal(binary.size, 65536);
	check_round_trip(&binary);
	free(binary.data);
}

TEST(test_bytes)
{
	struct bytes binary =
	    binary_of(HEAD "call site=258 correlation=1 start=2 duration=3\n");
	static const unsigned char record[] = {16, 4, 2, 1, 1, 0, 0, 0,
					       2,  0, 0, 0, 3, 0, 0, 0};
	static const unsigned char chunk[] = {
	    0x58, 0x53, 0x43, 0x4b, 0, 16, 0, 0, 48, 0, 0, 0, 7, 0, 0, 0, 5, 0};

	assert_int_equal(binary.size, 8192);
	assert_memory_equal(binary.data, "XFERSPY\0\1\0\x58\0\4\3\2\1", 16);
	assert_memory_equal(binary.data + 4096, chunk, sizeof(chunk));
	assert_memory_equal(binary.data + 4096 + 32, record, sizeof(record));
	free(binary.data);
}

static const struct {
	const char *text;
	int rc;
	unsigned long line;
	const char *reason;
} cases[] = {
    {"", -EPROTO, 0, "no header"},
    {"hello\n", -EPROTO, 1, "first line"},
    {"xferspy-text 2\n", -EPROTONOSUPPORT, 1, "newer"},
    {"xferspy-text 1\n", -EPROTO, 1, "no header"},
    {"xferspy-text 1\nchunk\n", -EPROTO, 2, "must come first"},
    {"xferspy-text 1\nheader pid=x\n", -EPROTO, 2, "needs a number"},
    {"xferspy-text 1\nheader pid=-1\n", -EPROTO, 2, "needs a number"},
    {"xferspy-text 1\nheader color=1\n", -EPROTO, 2, "no field 'color"},
    {"xferspy-text 1\nheader pid\n", -EPROTO, 2, "name=value"},
    {"xferspy-text 1\nheader\nheader\n", -EPROTO, 3, "a header line already"},
    {"xferspy-text 1\nheader\ncall\n", -EPROTO, 3, "after a chunk"},
    {HEAD "call site=65536\n", -EPROTO, 4, "does not fit into 'site'"},
    {HEAD "call site=99999999999999999999\n", -EPROTO, 4, "64-bit"},
    {HEAD "call site=1 text=\"a\"\n", -EPROTO, 4, "no field 'text'"},
    {HEAD "tear site=1\n", -EPROTO, 4, "no kind 'tear'"},
    {HEAD " call site=1\n", -EPROTO, 4, "must begin with its kind"},
    {HEAD "string id=1 text=\"a\n", -EPROTO, 4, "closing quote"},
    {HEAD "string id=1 text=\"\\q\"\n", -EPROTO, 4, "escape"},
    {HEAD "string id=1 text=\"a\"b\n", -EPROTO, 4, "a space"},
    {HEAD "string text=\"abcdef\" words=2\n", -EPROTO, 4, "words=2"},
    {HEAD "call words=256\n", -EPROTO, 4, "words=256"},
    {HEAD "call tail=0\n", -EPROTO, 4, "pairs of hex"},
    {HEAD "call tail=zz\n", -EPROTO, 4, "hex digits"},
    {HEAD "unknown data=00\n", -EPROTO, 4, "needs kind="},
    {HEAD "unknown kind=256\n", -EPROTO, 4, "1 to 255"},
    {HEAD "unknown site=2\n", -EPROTO, 4, "no field 'site'"},
    {HEAD "chunk at=4096\n", -EPROTO, 4, "cannot be at 4096"},
    {HEAD "chunk at=8193\n", -EPROTO, 4, "cannot be at 8193"},
    {HEAD "chunk capacity_bytes=5\n", -EPROTO, 4, "capacity_bytes=5"},
    {HEAD "chunk used_bytes=99\n", -EPROTO, 4, "used_bytes=99"},
    {"xferspy-text 1\nheader\nchunk used_bytes=99\ncall\nchunk\n", -EPROTO, 5,
     "used_bytes=99, but its records have 48"},
    {HEAD "chunk at=12289\n", -EPROTO, 4, "cannot be at"},
    {HEAD "chunk at=2147483648\n", -EPROTO, 4, "MiB of zeros"},
    {HEAD "chunk capacity_bytes=4100\n", -EPROTO, 4, "capacity_bytes=4100"},
    {HEAD "chunk capacity_bytes=1073745920\n", -EPROTO, 4, "MiB of zeros"},
    {HEAD "kernel shape=1\nkernel shape=2 again=8\n", -EPROTO, 5,
     "remove again="},
    {HEAD "kernel shape=1\nset bytes=1 again=8\n", -EPROTO, 5, "remove again="},
    {HEAD "kernel shape=1\nkernel shape=1 again=9\n", -EPROTO, 5,
     "remove again="},
    {HEAD "kernel shape=1\nkernel shape=1 again=65544\n", -EPROTO, 5,
     "remove again="},
};

TEST(test_errors)
{

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct xs_text_error error;
		FILE *in = tmpfile(), *out = tmpfile();
		int rc;

		fputs(cases[i].text, in);
		rewind(in);
		rc = xs_text_parse(in, out, &error);
		if (rc != cases[i].rc || error.line != cases[i].line ||
		    !strstr(error.text, cases[i].reason))
			fail_msg("case %zu: %d, line %lu: %s", i, rc,
				 error.line, error.text);
		fclose(in);
		fclose(out);
	}
}

/* Short texts that describe files of many GiB. */
TEST(test_sizes_are_bounded)
{
	static const char *const texts[] = {
	    HEAD "chunk at=1073741824\n",
	    HEAD "chunk capacity_bytes=1073741824\n"
		 "chunk capacity_bytes=1073741824\n",
	    "xferspy-text 1\nheader file_bytes=4294967296\n",
	    HEAD "chunk capacity_bytes=67108864\n"
		 "chunk capacity_bytes=67108864\n"
		 "chunk capacity_bytes=67108864\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct xs_text_error error;
		FILE *in = tmpfile(), *out = tmpfile();

		fputs(texts[i], in);
		rewind(in);
		assert_int_equal(xs_text_parse(in, out, &error), -EPROTO);
		assert_has(error.text, "MiB of zeros");
		assert_true(ftell(out) <= 160 << 20);
		fclose(in);
		fclose(out);
	}
}

/* A process that was killed leaves unused space after its last chunk. */
TEST(test_unused_space_is_kept)
{
	struct bytes binary =
	    binary_of("xferspy-text 1\nheader pid=1 file_bytes=67108864\n"
		      "chunk capacity_bytes=65536 thread=7\n");

	assert_int_equal(binary.size, 67108864);
	free(binary.data);
}

/* Returns the result of reading a chunk of 4096 bytes with so many records of
 * 16 bytes, with or without another chunk after it. */
static int read_chunk(unsigned records, bool more, struct xs_text_error *error)
{
	FILE *in = tmpfile(), *out = tmpfile();

	fputs("xferspy-text 1\nheader\nchunk capacity_bytes=4096\n", in);
	for (unsigned i = 0; i < records; i++)
		fprintf(in, "call site=1 start=%u\n", i);
	if (more)
		fputs("chunk\n", in);
	rewind(in);
	int rc = xs_text_parse(in, out, error);
	fclose(in);
	fclose(out);
	return rc;
}

/* A chunk has a header of 32 bytes. */
TEST(test_full_chunks)
{
	const unsigned most = (4096 - 32) / 16;
	struct xs_text_error error;

	for (int more = 0; more < 2; more++) {
		assert_int_equal(read_chunk(most, more, &error), 0);
		assert_int_equal(read_chunk(most + 1, more, &error), -EPROTO);
		assert_has(error.text,
			   "capacity_bytes=4096, but its records need 4112");
	}
}

TEST(test_nul_is_refused)
{
	static const char text[] = "xferspy-text 1\nheader\0\n";
	struct xs_text_error error;
	FILE *in = tmpfile(), *out = tmpfile();

	fwrite(text, 1, sizeof(text) - 1, in);
	rewind(in);
	assert_int_equal(xs_text_parse(in, out, &error), -EPROTO);
	assert_int_equal(error.line, 2);
	fclose(in);
	fclose(out);
}

/* A text and its binary form read as the same trace. */
TEST(test_text_reads_as_binary)
{
	for (size_t i = 0; i < golden_count; i++) {
		struct bytes text = file_bytes(golden_path(golden_names[i]));
		struct bytes binary = binary_of(text.data);
		struct xs_trace *a, *b;
		const char *error;

		assert_int_equal(
		    xs_trace_read_memory(text.data, text.size, &a, &error), 0);
		assert_int_equal(
		    xs_trace_read_memory(binary.data, binary.size, &b, &error),
		    0);
		assert_int_equal(a->op_count, b->op_count);
		assert_int_equal(a->call_count, b->call_count);
		if (a->op_count)
			assert_memory_equal(a->ops, b->ops,
					    a->op_count * sizeof(*a->ops));
		for (size_t j = 0; j < a->call_count; j++) {
			assert_true(a->calls[j].start_ns ==
				    b->calls[j].start_ns);
			assert_int_equal(a->calls[j].site, b->calls[j].site);
		}
		assert_true(a->end_ns == b->end_ns);
		xs_trace_free(a);
		xs_trace_free(b);
		free(binary.data);
		free(text.data);
	}
}

/* SPDX-License-Identifier: MIT */
/* The reader on damaged files: it reads what is intact and reports the rest. */
#include "tests/unit.h"

#include "analyzer/timeline/load_trace.h"
#include "tests/analyzer/support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Three chunks of two ops each. */
static const char three_chunks[] =
    "xferspy-text 1\n"
    "header pid=1 state=1 start_realtime_ns=1000 tail_bytes=16384\n"
    "chunk base_ns=1000\n"
    "kernel start=1 duration=1\n"
    "kernel start=2 duration=1\n"
    "chunk base_ns=2000\n"
    "kernel start=1 duration=1\n"
    "kernel start=2 duration=1\n"
    "chunk base_ns=3000\n"
    "kernel start=1 duration=1\n"
    "kernel start=2 duration=1\n";

static struct bytes bytes;
static struct xs_trace *trace;

FIXTURE(drop)
{
	xs_trace_free(trace);
	free(bytes.data);
	trace = NULL;
	bytes = (struct bytes){0};
	return 0;
}

static void read_bytes(void)
{
	const char *error;

	assert_int_equal(
	    xs_trace_read_memory(bytes.data, bytes.size, &trace, &error), 0);
}

static void read_binary_of(const char *text)
{
	bytes = binary_of(text);
	read_bytes();
}

static void put32(size_t at, uint32_t value)
{
	assert_true(at + sizeof(value) <= bytes.size);
	memcpy(bytes.data + at, &value, sizeof(value));
}

/* ops: number of ops still read; word: part of the first defect, NULL: none. */
static void check_damage(size_t at, uint32_t value, size_t ops,
			 const char *word)
{
	bytes = binary_of(three_chunks);
	put32(at, value);
	read_bytes();
	assert_int_equal(trace->op_count, ops);
	if (word) {
		assert_true(trace->defect_count > 0);
		assert_has(trace->defects[0].text, word);
	} else {
		assert_int_equal(trace->defect_count, 0);
	}
	drop(NULL);
}

TEST(test_damaged_chunks)
{
	check_damage(8192, XS_CHUNK_MAGIC, 6, NULL); /* unchanged */
	check_damage(8192, 0, 4, "not belong to a chunk");
	check_damage(8192, 0x12345678, 4, "not belong to a chunk");
	check_damage(8196, 0, 6, "size is damaged");
	check_damage(8196, 12345, 6, "size is damaged");
	check_damage(8196, 8192, 6, "shorter than its header says");
	check_damage(8196, 0x40000000, 6, "shorter than its header says");
	check_damage(8200, 0, 6, "used size");
	check_damage(8200, 0x40000000, 6, "are missing");
	check_damage(8200, 32 + 20, 5, "records may be missing");
	check_damage(8200, 32 + 21, 5, "records may be missing");
	check_damage(8200, 32 + 20 + 8, 5, "records may be missing");
	check_damage(8192 + 4000, 1, 6, "records may be missing");
	check_damage(8192 + 32, 0x0000ff20, 4, "damaged record");
	check_damage(8192 + 32, 0x00000020, 4, "damaged record");
	check_damage(8192 + 32, 0x00000000, 4, "damaged record");
	check_damage(8192 + 32, 0x00000563, 5, NULL); /* unknown kind */
}

/* An incomplete record of a killed process is not a defect. */
TEST(test_torn_record)
{
	bytes = binary_of(three_chunks);
	put32(20, XS_FILE_RUNNING);
	put32(8192 + 32 + 40, 0x0520);
	read_bytes();
	assert_int_equal(trace->op_count, 6);
	assert_int_equal(trace->defect_count, 0);
}

TEST(test_short_record)
{
	read_binary_of("xferspy-text 1\nheader\nchunk\n"
		       "unknown kind=32 data=000000000000\n"
		       "kernel start=1 duration=1\n");
	assert_int_equal(trace->op_count, 1);
	assert_int_equal(trace->defect_count, 1);
	assert_has(trace->defects[0].text, "too short");
}

/* `again` records of a call and of ops whose original is not in their chunk. */
TEST(test_nothing_to_repeat)
{
	read_binary_of(
	    "xferspy-text 1\nheader lost_ops=5\n"
	    "chunk\n"
	    "kernel start=1 duration=1\n"
	    "string id=1 text=\"aaaabbbb\"\n"
	    "again record=9 start=2 duration=1\n"  /* inside the kernel record
						    */
	    "again record=13 start=2 duration=1\n" /* a string */
	    "again record=17 start=2 duration=1\n" /* another `again` record */
	    "again record=65535 start=2 duration=1\n"
	    "again record=8 start=2 duration=1\n"
	    "chunk thread=4\n"
	    "again record=8 start=2 duration=1\n");
	assert_int_equal(trace->op_count, 2);
	assert_int_equal(trace->call_count, 0);
	assert_int_equal(trace->lost_ops, 5 + 4);
	assert_int_equal(trace->lost_calls, 1);
	assert_int_equal(trace->defect_count, 5);
	assert_has(trace->defects[0].text, "repeated record");
}

TEST(test_headers)
{
	static const struct {
		size_t at;
		unsigned char value;
		int rc;
	} cases[] = {
	    {0, 'x', -EPROTO},	      {7, 1, -EPROTO},	{8, 0, -EPROTO},
	    {8, 2, -EPROTONOSUPPORT}, {12, 1, -EPROTO}, {20, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *error;

		bytes = binary_of(three_chunks);
		bytes.data[cases[i].at] = (char)cases[i].value;
		assert_int_equal(xs_trace_read_memory(bytes.data, bytes.size,
						      &trace, &error),
				 cases[i].rc);
		assert_int_equal(cases[i].rc != 0, error != NULL);
		drop(NULL);
	}
}

/* A truncated file: all complete ops are read, and nothing else. */
TEST(test_every_truncation)
{
	bytes = binary_of(three_chunks);
	for (size_t size = 0; size <= bytes.size; size++) {
		char *copy = malloc(size + 1);
		size_t ops, wanted = 0;
		int rc;

		assert_non_null(copy);
		memcpy(copy, bytes.data, size);
		rc = analyze(copy, size, &ops);
		assert_int_equal(rc, size < 88 ? -EPROTO : 0);
		for (size_t chunk = 4096; chunk < bytes.size; chunk += 4096)
			for (size_t end = 52; end <= 72; end += 20)
				wanted += size >= 88 && chunk + end <= size;
		assert_int_equal(ops, wanted);
		free(copy);
	}
}

TEST(test_truncation_is_named)
{
	bytes = binary_of(three_chunks);
	bytes.size -= 5000;
	read_bytes();
	assert_has(trace->defects[0].text, "5000 bytes are missing");
}

/* Flipped bits: the result may be anything, but the reader returns. */
TEST(test_bit_flips)
{
	uint64_t random = 12345;

	for (size_t i = 0; i < golden_count; i++) {
		struct bytes text = file_bytes(golden_path(golden_names[i]));

		bytes = binary_of(text.data);
		for (int round = 0; round < 300; round++) {
			char *copy = malloc(bytes.size);
			size_t ops;

			assert_non_null(copy);
			memcpy(copy, bytes.data, bytes.size);
			for (int flip = 0; flip < 8; flip++) {
				random = random * 6364136223846793005u + 1;
				/* most pages are zeros: flip bits near the
				 * start of a page */
				copy[(random >> 33) % (bytes.size / 4096) *
					 4096 +
				     (random >> 20) % 1024] ^=
				    (char)(1u << (random >> 60 & 7));
			}
			analyze(copy, bytes.size, &ops);
			free(copy);
		}
		drop(NULL);
		free(text.data);
	}
}

TEST(test_hostile_ids)
{
	read_binary_of("xferspy-text 1\nheader\nchunk\n"
		       "wide site=4000000000\n"
		       "call site=65535 correlation=1\n"
		       "shape shape=4294967295 name=4294967294\n"
		       "site site=3 caller=3 module=9 function=77\n"
		       "kernel shape=4294967295 queue=65535\n");
	assert_int_equal(trace->op_count, 1);
	assert_true(trace->ops[0].queue < trace->queue_count);
	assert_true(trace->ops[0].shape < trace->shape_count);
	assert_true(trace->calls[0].site < trace->site_count);
	assert_true(trace->defect_count > 0);
}

TEST(test_many_defects_are_few)
{
	struct bytes head = binary_of("xferspy-text 1\nheader\n");

	bytes = (struct bytes){calloc(300, 4096), 300 * 4096};
	assert_non_null(bytes.data);
	memcpy(bytes.data, head.data, head.size);
	for (size_t i = 1; i < 300; i++)
		put32(i * 4096, XS_CHUNK_MAGIC);
	read_bytes();
	assert_int_equal(trace->defect_count, 65);
	free(head.data);
}

TEST(test_strings_in_parts)
{
	read_binary_of("xferspy-text 1\nheader\nchunk\n"
		       "string id=1 text=\"void f\"\n"
		       "string id=2 text=\"other\"\n"
		       "string id=1 part=1 text=\"oo(int\"\n"
		       "string id=1 part=2 text=\", int)\"\n"
		       "shape shape=1 name=1\n"
		       "shape shape=2 name=2\n");
	assert_string_equal(trace->strings[trace->shapes[0].name],
			    "void foo(int, int)");
	assert_string_equal(trace->strings[trace->shapes[1].name], "other");
	assert_string_equal(trace->strings[0], "");
}

TEST(test_source_lines)
{
	read_binary_of("xferspy-text 1\nheader\nchunk\n"
		       "source site=2 symbol=8 file=9 line=42\n"
		       "source site=3 symbol=8\n"
		       "site site=2 offset=16\n"
		       "string id=8 text=\"main\"\n"
		       "string id=9 text=\"/src/app.cu\"\n");
	assert_int_equal(trace->site_count, 2);
	assert_string_equal(trace->sites[0].symbol, "main");
	assert_string_equal(trace->sites[0].file, "/src/app.cu");
	assert_int_equal(trace->sites[0].line, 42);
	assert_int_equal(trace->sites[0].offset, 16);
	assert_string_equal(trace->sites[1].symbol, "main");
	/* sites share one text, however long and many they are */
	assert_ptr_equal(trace->sites[0].symbol, trace->sites[1].symbol);
	assert_null(trace->sites[1].file);
}

TEST(test_order_and_join)
{
	/* two threads and the collector: each in order, but not together */
	static const uint32_t calls[] = {0, 1, 2, XS_NONE, 3};
	read_binary_of("xferspy-text 1\nheader\n"
		       "chunk thread=1 base_ns=1000\n"
		       "call site=1 correlation=7 start=100 duration=5\n"
		       "call site=1 correlation=9 start=300 duration=5\n"
		       "chunk thread=2 base_ns=1000\n"
		       "call site=1 correlation=8 start=200 duration=5\n"
		       "call site=1 correlation=7 start=9000 duration=5\n"
		       "chunk base_ns=1000\n"
		       "kernel correlation=9 start=310 duration=5\n"
		       "kernel correlation=7 start=120 duration=5\n"
		       "kernel correlation=7 start=9010 duration=5\n"
		       "kernel correlation=5 start=500 duration=5\n"
		       "kernel correlation=8 start=210 duration=5\n");
	assert_int_equal(trace->ops_matched, 4);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(trace->ops[i].call, calls[i]);
	for (size_t i = 1; i < 5; i++)
		assert_true(trace->ops[i - 1].start_ns <=
			    trace->ops[i].start_ns);
	assert_int_equal(trace->calls[1].thread, 2);
}

/* A file that was copied to another place may have a hole where a killed
 * process had reserved space: here more than can be read, in the last chunk and
 * behind it. */
TEST(test_holes)
{
	const size_t last = 3 * XS_PAGE_BYTES;
	const off_t hole_bytes = (off_t)64 << 30;
	char path[] = "holes.XXXXXX";
	int fd = mkstemp(path);
	const char *error;

	bytes = binary_of(three_chunks);
	put32(last + offsetof(struct xs_chunk_header, capacity_bytes),
	      1u << 31);
	assert_int_equal(write(fd, bytes.data, bytes.size), bytes.size);
	assert_int_equal(ftruncate(fd, hole_bytes), 0);
	if (lseek(fd, 0, SEEK_HOLE) < hole_bytes) {
		assert_int_equal(xs_trace_read(path, &trace, &error), 0);
		assert_int_equal(trace->op_count, 6);
		assert_int_equal(trace->defect_count, 0);
	}
	close(fd);
}

TEST(test_missing_file)
{
	const char *error;

	assert_int_equal(xs_trace_read("/nonexistent", &trace, &error),
			 -ENOENT);
	assert_null(trace);
	assert_int_equal(xs_trace_read("/", &trace, &error), -EISDIR);
	assert_int_equal(xs_trace_read("/dev/null", &trace, &error), -EPROTO);
	assert_has(error, "a device");
}

RUN_TESTS(NULL, drop)

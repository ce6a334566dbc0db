/* SPDX-License-Identifier: MIT */
#include "tests/unit.h"

#include "preload/trace/trace_file.h"
#include "preload/trace/writer.h"
#include "preload/util/file.h"
#include "preload/util/guard.h"
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH  "test_sink.xspy"
#define START 1700000000000000000u

static const struct xs_trace_file_start start = {12, START, 34};
static struct xs_trace_file trace;
static struct records r;

FIXTURE(clean)
{
	unlink(PATH);
	unlink(PATH ".1");
	unlink(PATH ".2");
	unlink(PATH ".3");
	return 0;
}

TEST(header_and_size_of_an_empty_trace)
{
	struct stat st;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	records_read(&r, PATH);
	assert_memory_equal(r.header.magic, XS_FORMAT_MAGIC, 8);
	assert_int_equal(r.header.version, XS_FORMAT_VERSION);
	assert_int_equal(r.header.pid, 12);
	assert_int_equal(r.header.state, XS_FILE_RUNNING);
	assert_int_equal(r.header.start_realtime_ns, START);
	assert_int_equal(r.header.start_monotonic_ns, 34);
	assert_int_equal(r.header.end_realtime_ns, 0);
	records_free(&r);

	assert_int_equal(xs_trace_file_close(&trace, START + 9), XS_PAGE_BYTES);
	assert_int_equal(stat(PATH, &st), 0);
	assert_int_equal(st.st_size, XS_PAGE_BYTES);
	assert_int_equal(st.st_mode & 0777, 0600);
	records_read(&r, PATH);
	assert_int_equal(r.header.state, XS_FILE_CLOSED);
	assert_int_equal(r.header.end_realtime_ns, START + 9);
	records_free(&r);
}

TEST(existing_files_are_left_alone)
{
	char text[8] = "";
	int fd = open(PATH, O_CREAT | O_WRONLY, 0644);

	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
	assert_int_equal(symlink("/etc/passwd", PATH ".1"), 0);
	assert_int_equal(symlink(PATH ".nowhere", PATH ".2"), 0);
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	assert_string_equal(trace.path, PATH ".3");
	assert_int_not_equal(access(PATH ".nowhere", F_OK), 0);
	xs_trace_file_close(&trace, START);
	fd = open(PATH, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "mine");
	close(fd);
}

TEST(missing_folder_is_an_error)
{
	assert_int_equal(xs_trace_file_open(&trace, "no/such/folder/x", &start),
			 -ENOENT);
	xs_trace_file_lose(&trace, XS_LOSS_CALLS, 1); /* does nothing */
}

TEST(losses_are_counted_by_kind)
{
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	xs_trace_file_lose(&trace, XS_LOSS_CALLS, 2);
	xs_trace_file_lose(&trace, XS_LOSS_OPS, 3);
	xs_trace_file_lose(&trace, XS_LOSS_CUPTI, 4);
	xs_trace_file_lose(&trace, XS_LOSS_CALLS, 5);
	records_read(&r, PATH);
	assert_int_equal(r.header.lost_calls, 7);
	assert_int_equal(r.header.lost_ops, 3);
	assert_int_equal(r.header.lost_cupti, 4);
	records_free(&r);
}

/* The line at exit has said how many. */
TEST(nothing_is_lost_after_the_end)
{
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	xs_trace_file_lose(&trace, XS_LOSS_OPS, 1);
	xs_trace_file_close(&trace, START);
	xs_trace_file_lose(&trace, XS_LOSS_OPS, 2);
	xs_trace_file_lose(&trace, XS_LOSS_CALLS, 2);
	records_read(&r, PATH);
	assert_int_equal(r.header.lost_ops, 1);
	assert_int_equal(r.header.lost_calls, 0);
	records_free(&r);
}

/* Writes calls until the file is full. Returns their number. */
static unsigned fill(const char *path)
{
	struct xs_writer writer = {.trace = &trace, .thread = 1};
	struct xs_rec_call call = {XS_RECORD(call)};
	unsigned n = 0;

	if (xs_trace_file_open(&trace, path, &start))
		return 0;
	while (n < 10000000 &&
	       xs_writer_timed(&writer, &call, 1, START, START + 1) == 0)
		n++;
	xs_trace_file_lose(&trace, XS_LOSS_CALLS, 1);
	xs_trace_file_close(&trace, START);
	return n;
}

static void expect_full(const char *path, uint64_t most_bytes)
{
	records_read(&r, path);
	assert_int_equal(r.damaged, 0);
	assert_true(r.image_bytes <= most_bytes);
	/* Nearly all space is used: 16 bytes per call. */
	assert_true(records_of(&r, XS_REC_call) * 16 > most_bytes / 2);
	assert_int_equal(r.header.lost_calls, 1);
	records_free(&r);
}

/* In a child process, which SIGXFSZ or SIGBUS would kill. */
TEST(file_size_limit_ends_the_trace_quietly)
{
	const struct rlimit limit = {3u << 20, 3u << 20};
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		sigset_t pending;
		setrlimit(RLIMIT_FSIZE, &limit);
		signal(SIGXFSZ, SIG_DFL);
		if (fill(PATH) == 0)
			_exit(1);
		sigpending(&pending);
		_exit(sigismember(&pending, SIGXFSZ) ? 2 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_full(PATH, 3u << 20);
}

TEST(full_disk_ends_the_trace_quietly)
{
	char folder[] = "/tmp/xferspy-test-XXXXXX", path[64];
	int status = -1;
	pid_t pid;

	assert_non_null(mkdtemp(folder));
	if (mount("none", folder, "tmpfs", 0, "size=2m")) {
		rmdir(folder);
		skip(); /* only root can mount */
	}
	snprintf(path, sizeof(path), "%s/trace", folder);
	pid = fork();
	if (pid == 0)
		_exit(fill(path) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_full(path, 2u << 20);
	umount(folder);
	rmdir(folder);
}

/* Pages without blocks, which a copy-on-write file system may have to allocate
 * at any store. */
TEST(unallocatable_page_is_an_error)
{
	char folder[] = "/tmp/xferspy-test-XXXXXX", path[64];
	void *page;

	assert_non_null(mkdtemp(folder));
	if (mount("none", folder, "tmpfs", 0, "size=16k")) {
		rmdir(folder);
		skip(); /* only root can mount */
	}
	snprintf(path, sizeof(path), "%s/sparse", folder);
	int fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	page = xs_file_map(fd, 0, XS_PAGE_BYTES);
	assert_non_null(page);
	munmap(page, XS_PAGE_BYTES);
	assert_null(xs_file_map(fd, 0, 1 << 20));
	assert_int_not_equal(errno, 0);
	close(fd);
	umount(folder);
	rmdir(folder);
}

TEST(killed_process_leaves_what_it_wrote)
{
	int pipes[2], status = 0;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		struct xs_writer writer = {.trace = &trace, .thread = 1};
		struct xs_rec_call call = {XS_RECORD(call)};
		if (xs_trace_file_open(&trace, PATH, &start))
			_exit(1);
		for (unsigned i = 0; i < 5000; i++)
			xs_writer_timed(&writer, &call, i, START + i,
					START + i + 1);
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	records_read(&r, PATH);
	assert_int_equal(r.damaged, 0);
	assert_int_equal(r.header.state, XS_FILE_RUNNING);
	assert_int_equal(records_of(&r, XS_REC_call), 5000);
	assert_int_equal(records_get(&r, XS_REC_call, 4999)->place, 4999);
	records_free(&r);
}

/* An application that closes every descriptor and reuses our number finds its
 * own files unchanged. */
TEST(reused_descriptor_is_not_touched)
{
	struct stat st;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	int other = open(PATH ".1", O_CREAT | O_RDWR, 0600);
	assert_int_equal(write(other, "mine", 4), 4);
	assert_int_equal(dup2(other, trace.fd), trace.fd);
	assert_null(xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START));
	assert_null(xs_trace_file_claim(&trace, 64u << 20, 1, START));
	xs_trace_file_close(&trace, START);
	assert_int_equal(fstat(other, &st), 0);
	assert_int_equal(st.st_size, 4);
	close(other);
	close(trace.fd);
}

/* Nor is one that is larger than the trace. */
TEST(large_file_with_our_descriptor_is_not_touched)
{
	const off_t size = 8 << 20;
	char page[XS_PAGE_BYTES];
	struct stat st;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	int other = open(PATH ".1", O_CREAT | O_RDWR, 0600);
	assert_int_equal(ftruncate(other, size), 0);
	assert_int_equal(dup2(other, trace.fd), trace.fd);
	assert_null(xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START));
	xs_trace_file_close(&trace, START);
	assert_int_equal(fstat(other, &st), 0);
	assert_int_equal(st.st_size, size);
	assert_int_equal(pread(other, page, sizeof(page), XS_PAGE_BYTES),
			 (ssize_t)sizeof(page));
	for (size_t i = 0; i < sizeof(page); i++)
		assert_int_equal(page[i], 0);
	close(other);
	close(trace.fd);
}

/* Without address space (ulimit -v) mapping fails; the claimed part is given
 * back, and later claims succeed. */
TEST(failed_mapping_is_retried)
{
	struct rlimit before, none;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* sanitizers need address space */
#endif
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	assert_int_equal(xs_trace_file_grow_ahead(&trace), 0);
	getrlimit(RLIMIT_AS, &before);
	none = before;
	none.rlim_cur = 1u << 20;
	setrlimit(RLIMIT_AS, &none);
	struct xs_chunk_header *chunk =
	    xs_trace_file_claim(&trace, 4u << 20, 1, START);
	setrlimit(RLIMIT_AS, &before);
	assert_null(chunk);
	assert_int_equal(atomic_load(&trace.tail_bytes), XS_PAGE_BYTES);
	assert_null(xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START));
	assert_int_equal(xs_trace_file_grow_ahead(&trace), -ENOMEM);
	assert_int_equal(xs_trace_file_grow_ahead(&trace), 0);
	chunk = xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START);
	assert_non_null(chunk);
	xs_trace_file_release(chunk);
	assert_int_equal(xs_trace_file_close(&trace, START), 2 * XS_PAGE_BYTES);
}

static void expect_hands_off(off_t size)
{
	struct xs_writer writer = {.trace = &trace, .thread = 1};
	struct xs_rec_call call = {XS_RECORD(call)};
	struct stat st;

	assert_null(xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START));
	assert_true(atomic_load(&trace.overwritten));
	assert_int_equal(xs_writer_timed(&writer, &call, 1, START, START),
			 -ENOSPC);
	xs_trace_file_lose(&trace, XS_LOSS_CALLS, 1);
	xs_trace_file_flushed(&trace, START);
	xs_trace_file_grow_ahead(&trace);
	assert_int_equal(xs_trace_file_close(&trace, START), 0);
	assert_int_equal(xs_trace_file_close(&trace, START), 0);
	assert_int_equal(stat(PATH, &st), 0);
	assert_int_equal(st.st_size, size);
}

TEST(truncated_file_is_left_alone)
{
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	assert_int_equal(truncate(PATH, 0), 0);
	expect_hands_off(0);
}

TEST(overwritten_file_is_left_alone)
{
	static char other[2u << 20], back[2u << 20];

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	int fd = open(PATH, O_RDWR | O_TRUNC);
	memset(other, 'x', sizeof(other));
	assert_int_equal(write(fd, other, sizeof(other)), sizeof(other));
	expect_hands_off(sizeof(other));
	assert_int_equal(pread(fd, back, sizeof(back), 0), sizeof(back));
	assert_memory_equal(back, other, sizeof(back));
	close(fd);
}

TEST(no_claim_succeeds_after_the_end)
{
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	struct xs_chunk_header *chunk =
	    xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START);
	assert_non_null(chunk);
	assert_int_equal(xs_trace_file_close(&trace, START), 2 * XS_PAGE_BYTES);
	assert_null(xs_trace_file_claim(&trace, XS_PAGE_BYTES, 1, START));
	/* A thread that is still writing does no harm. */
	((volatile char *)chunk)[XS_PAGE_BYTES - 1] = 1;
	xs_trace_file_release(chunk);
	assert_int_equal(xs_trace_file_close(&trace, START), 2 * XS_PAGE_BYTES);
}

/* A thread that never continues, since its signal handler exits. */
TEST(close_does_not_wait_for_dead_threads)
{
	struct stat st;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	atomic_store(&trace.growing, true);
	assert_int_equal(xs_trace_file_close(&trace, START), XS_PAGE_BYTES);
	assert_int_equal(stat(PATH, &st), 0);
	assert_int_equal(st.st_size, XS_PAGE_BYTES);
}

/* At exit another thread cuts the file off, with `growing` held, while the
 * collector has begun to look whether there is room. */
TEST(cut_off_file_is_not_taken_for_another)
{
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	atomic_store(&trace.growing, true);
	assert_int_equal(ftruncate(trace.fd, XS_PAGE_BYTES), 0);
	assert_int_equal(xs_trace_file_grow_ahead(&trace), 0);
	assert_false(atomic_load(&trace.overwritten));
	atomic_store(&trace.growing, false);
	assert_int_equal(xs_trace_file_close(&trace, START), XS_PAGE_BYTES);
}

static void *claim_when_cancelled(void *data)
{
	struct xs_chunk_header **chunk = data;
	struct xs_guard guard; /* as all callers */

	pthread_cancel(pthread_self());
	xs_guard_begin(&guard);
	*chunk = xs_trace_file_claim(&trace, 8u << 20, 1, START);
	xs_guard_end(&guard);
	pthread_testcancel();
	return NULL;
}

TEST(cancelled_thread_releases_its_locks)
{
	struct xs_chunk_header *chunk = NULL;
	pthread_t thread;
	void *result;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	pthread_create(&thread, NULL, claim_when_cancelled, &chunk);
	pthread_join(thread, &result);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_non_null(chunk);
	assert_false(atomic_load(&trace.growing));
	xs_trace_file_release(chunk);
	xs_trace_file_close(&trace, START);
}

TEST(limit_is_kept)
{
	const uint64_t limit = 2u << 20;
	unsigned chunks = 0;
	struct stat st;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	xs_trace_file_limit(&trace, limit + 17);
	while (xs_trace_file_claim(&trace, 64u << 10, 1, START))
		chunks++;
	assert_int_equal(chunks, (limit - XS_PAGE_BYTES) / (64u << 10));
	assert_int_equal(xs_trace_file_grow_ahead(&trace), 0);
	assert_int_equal(stat(PATH, &st), 0);
	assert_true((uint64_t)st.st_size <= limit);
	xs_trace_file_close(&trace, START);
}

/* Space is there before it is needed, but if the process is killed, the file
 * takes at most twice what it used, and 256 KiB. */
TEST(space_ahead_grows_with_the_trace)
{
	struct stat st;

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	for (uint64_t tail = XS_PAGE_BYTES; tail < 16u << 20;
	     tail += 64u << 10) {
		for (int i = 0; i < 5; i++)
			assert_int_equal(xs_trace_file_grow_ahead(&trace), 0);
		assert_int_equal(stat(PATH, &st), 0);
		assert_true((uint64_t)st.st_size >= tail + (128u << 10));
		assert_true((uint64_t)st.st_blocks * 512 <=
			    2 * tail + (256u << 10));
		xs_trace_file_release(
		    xs_trace_file_claim(&trace, 64u << 10, 1, START));
	}
	xs_trace_file_close(&trace, START);
}

#define THREADS 8
#define CALLS	20000u

static void *write_calls(void *data)
{
	struct xs_writer writer = {.trace = &trace,
				   .thread = (uint32_t)(uintptr_t)data};
	struct xs_rec_call call = {XS_RECORD(call)};

	for (uint32_t i = 0; i < CALLS; i++) {
		call.correlation = i;
		if (xs_writer_timed(&writer, &call, i, START + i, START + i))
			xs_trace_file_lose(&trace, XS_LOSS_CALLS, 1);
	}
	xs_writer_close(&writer);
	return NULL;
}

TEST(threads_write_at_once_and_lose_nothing)
{
	pthread_t threads[THREADS];
	uint32_t next[THREADS + 1] = {0};

	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, write_calls, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	xs_trace_file_close(&trace, START);
	records_read(&r, PATH);
	assert_int_equal(r.damaged, 0);
	assert_int_equal(r.header.lost_calls, 0);
	for (size_t i = 0; i < r.count; i++) {
		const struct xs_rec_call *call = r.list[i].at;
		if (r.list[i].kind != XS_REC_call)
			continue;
		/* A thread's records are in its order. */
		assert_int_equal(call->correlation, next[r.list[i].thread]++);
	}
	for (int i = 1; i <= THREADS; i++)
		assert_int_equal(next[i], CALLS);
	records_free(&r);
}

int main(void)
{
	return unit_run(NULL, clean, clean, NULL);
}

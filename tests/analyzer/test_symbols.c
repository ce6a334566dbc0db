/* SPDX-License-Identifier: MIT */
/* Resolves call sites of this test program from its own ELF and DWARF. */
#include "tests/unit.h"

#include "analyzer/symbols/symbols.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/util/sort.h"
#include "tests/analyzer/support.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char program[4096];
static char build_id[129];

/* Returns the return address of its caller minus one, as the preload library
 * records it. */
static __attribute__((noinline)) uint64_t call_offset(void)
{
	uintptr_t address = (uintptr_t)__builtin_return_address(0) - 1;
	Dl_info info;

	assert_true(dladdr((void *)address, &info) != 0);
	return address - (uintptr_t)info.dli_fbase;
}

static volatile int keep;
static int plain_line, inlined_line;

static __attribute__((noinline)) uint64_t plain_function(void)
{
	plain_line = __LINE__ + 1;
	uint64_t offset = call_offset();

	keep++;
	return offset;
}

static inline __attribute__((always_inline)) uint64_t inlined_function(void)
{
	inlined_line = __LINE__ + 1;
	uint64_t offset = call_offset();

	keep++;
	return offset;
}

static __attribute__((noinline)) uint64_t outer_function(void)
{
	uint64_t offset = inlined_function();

	keep++;
	return offset;
}

/* What a crate of others defines, inlined into the user's function. */
#line 1 "/usr/local/cargo/registry/src/index.crates.io-1949cf8c6b5b557f/a/lib.rs"
static inline __attribute__((always_inline)) uint64_t crate_function(void)
{
	uint64_t offset = call_offset();

	keep++;
	return offset;
}
#line 68 "test_symbols.c"
static __attribute__((noinline)) uint64_t user_of_crate(void)
{
	uint64_t offset = crate_function();

	keep++;
	return offset;
}

static int note_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *at =
		    (const char *)(info->dlpi_addr + segment->p_vaddr);
		const char *end = at + segment->p_memsz;

		while (segment->p_type == PT_NOTE &&
		       at + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const unsigned char *bits =
			    (const unsigned char *)(note + 1) +
			    (note->n_namesz + 3) / 4 * 4;

			if (note->n_type == NT_GNU_BUILD_ID)
				for (size_t j = 0; j < note->n_descsz; j++)
					snprintf(build_id + 2 * j, 3, "%02x",
						 bits[j]);
			at = (const char *)bits + (note->n_descsz + 3) / 4 * 4;
		}
	}
	return 1; /* the first object is the program */
}

FIXTURE(find_self)
{
	ssize_t length =
	    readlink("/proc/self/exe", program, sizeof(program) - 1);

	dl_iterate_phdr(note_build_id, NULL);
	return length > 0 && build_id[0] ? 0 : -1;
}

/* A trace with some sites in one module. */
struct fixture {
	struct xs_trace trace;
	struct xs_module module;
	char *strings[4];
	struct xs_shape shape;
};

static void init(struct fixture *f, char *path, char *id)
{
	*f =
	    (struct fixture){.module = {.path = 1, .build_id = 2},
			     .strings = {(char[]){""}, path, id, (char[]){""}}};
	f->trace.modules = &f->module;
	f->trace.module_count = 1;
	f->trace.strings = f->strings;
	f->trace.string_count = 4;
	f->trace.sites = xs_array_grow(NULL, 0, sizeof(*f->trace.sites));
	assert_non_null(f->trace.sites);
	f->trace.site_count = 3;
	for (size_t i = 0; i < 3; i++)
		f->trace.sites[i] =
		    (struct xs_site){.module = XS_NONE, .caller = XS_NONE};
}

static void release(struct fixture *f)
{
	for (size_t i = 0; i < f->trace.site_count; i++) {
		free(f->trace.sites[i].symbol);
		free(f->trace.sites[i].file);
	}
	free(f->trace.sites);
}

TEST(test_own_sites)
{
	struct fixture f;

	init(&f, program, build_id);
	f.trace.sites[0].module = f.trace.sites[1].module = 0;
	f.trace.sites[0].offset = plain_function();
	f.trace.sites[1].offset = outer_function();
	xs_symbols_resolve(&f.trace);
	assert_string_equal(f.trace.sites[0].symbol, "plain_function");
	assert_non_null(f.trace.sites[0].file);
	assert_has(f.trace.sites[0].file, "test_symbols.c");
	assert_int_equal(f.trace.sites[0].line, plain_line);
	assert_string_equal(f.trace.sites[1].symbol, "inlined_function");
	assert_int_equal(f.trace.sites[1].line, inlined_line);
	assert_null(f.trace.sites[2].symbol);
	/* one function is not inlined; the other one is inlined into its caller
	 */
	assert_int_equal(f.trace.site_count, 4);
	assert_int_equal(f.trace.sites[0].caller, XS_NONE);
	assert_int_equal(f.trace.sites[1].caller, 3);
	assert_string_equal(f.trace.sites[3].symbol, "outer_function");
	assert_has(f.trace.sites[3].file, "test_symbols.c");
	assert_in_range(f.trace.sites[3].line, inlined_line + 1,
			inlined_line + 30);
	assert_ptr_equal(xs_symbols_user_caller(&f.trace, 1),
			 &f.trace.sites[3]);
	assert_null(xs_symbols_user_caller(&f.trace, 0));
	release(&f);
}

TEST(test_crate)
{
	struct fixture f;

	init(&f, program, build_id);
	f.trace.sites[0].module = 0;
	f.trace.sites[0].offset = user_of_crate();
	xs_symbols_resolve(&f.trace);
	assert_string_equal(f.trace.sites[0].symbol, "user_of_crate");
	assert_has(f.trace.sites[0].file, "test_symbols.c");
	release(&f);
}

TEST(test_not_the_same_file)
{
	static char other_id[] = "00112233", gone[] = "/nonexistent/app",
		    relative[] = "app", none[] = "", script[] = "/etc/passwd",
		    device[] = "/dev/zero";
	char *const modules[][2] = {{program, other_id}, {gone, build_id},
				    {relative, none},	 {none, none},
				    {script, none},	 {device, none}};

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		struct fixture f;

		init(&f, modules[i][0], modules[i][1]);
		f.trace.sites[0].module = 0;
		f.trace.sites[0].offset = plain_function();
		xs_symbols_resolve(&f.trace);
		assert_null(f.trace.sites[0].symbol);
		assert_null(f.trace.sites[0].file);
		release(&f);
	}
}

TEST(test_offset_out_of_range)
{
	static const uint64_t offsets[] = {0, 1, UINT64_MAX, 1u << 30};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		struct fixture f;

		init(&f, program, build_id);
		f.trace.sites[0].module = 0;
		f.trace.sites[0].offset = offsets[i];
		xs_symbols_resolve(&f.trace);
		assert_null(f.trace.sites[0].file);
		release(&f);
	}
}

/* The stub that the compiler generates for a kernel is not a user's line. */
TEST(test_kernel_stub)
{
	static char kernel[] = "plain_function";
	struct fixture f;

	init(&f, program, build_id);
	f.strings[3] = kernel;
	f.shape.name = 3;
	f.trace.shapes = &f.shape;
	f.trace.shape_count = 1;
	f.trace.sites[0].module = f.trace.sites[1].module = 0;
	f.trace.sites[0].offset = plain_function();
	f.trace.sites[0].caller = 1;
	f.trace.sites[1].offset = outer_function();
	xs_symbols_resolve(&f.trace);
	assert_null(f.trace.sites[0].file);
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[1]);
	release(&f);
}

TEST(test_user_site)
{
	struct fixture f;

	init(&f, program, build_id);
	f.trace.sites[0].caller = 1;
	f.trace.sites[1].caller = 2;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[0]);
	f.trace.sites[2].file = strdup("user.c");
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[2]);
	f.trace.sites[2].caller = 0; /* a circle */
	free(f.trace.sites[2].file);
	f.trace.sites[2].file = NULL;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 1), &f.trace.sites[1]);
	assert_null(xs_symbols_user_site(&f.trace, XS_NONE));
	release(&f);
}

/* A runtime that is part of the program, or of a library. */
TEST(test_user_site_of_runtime)
{
	static char *const names[] = {
	    "cudaMemcpy",
	    "cudaMemcpyAsync_ptsz",
	    "cudaError cudaMalloc<float>(float**, unsigned long)",
	    "libcudart_static_901c335edfe2e89188fa6b8fe3e2a2194ad05bff",
	    "cudart::contextState::loadCubin()",
	    "__cudaLaunchKernel",
	};
	static char own[] = "cudatools::copy(float*)",
		    file[] = "cuda_wrappers.c";
	struct fixture f;

	init(&f, program, build_id);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		f.trace.sites[0].symbol = names[i];
		f.trace.sites[0].caller = XS_NONE;
		assert_ptr_equal(xs_symbols_user_site(&f.trace, 0),
				 &f.trace.sites[0]);
		f.trace.sites[0].caller = 1;
		assert_ptr_equal(xs_symbols_user_site(&f.trace, 0),
				 &f.trace.sites[1]);
	}
	f.trace.sites[1].symbol = own;
	f.trace.sites[1].caller = 2;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[1]);
	f.trace.sites[0].file = file; /* the user's own function */
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[0]);
	f.trace.sites[0].file = NULL;
	f.trace.sites[1].symbol = names[0];
	f.trace.sites[1].caller = 0; /* a circle */
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[0]);
	free(f.trace.sites);
}

TEST(test_user_site_of_libraries)
{
	static char *const
	    crate = "/usr/local/cargo/registry/src/index-1/a/lib.rs",
	    *const own[] = {"/home/me/Kokkos_tutorials/heat/copy.cpp",
			    "/home/me/.cargo/tool/main.rs"},
	    *const libraries[] = {crate,
				  "/root/.cargo/git/checkouts/a-1/b/lib.rs",
				  "/root/go/pkg/mod/a@v1/b.go",
				  "/usr/share/go-1.19/src/runtime/cgocall.go",
				  "/opt/kokkos/core/src/Kokkos_Parallel.hpp"};
	struct fixture f;

	init(&f, program, build_id);
	f.trace.sites[0].caller = 1;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		f.trace.sites[0].file = libraries[i];
		f.trace.sites[1].file = own[i % 2];
		assert_ptr_equal(xs_symbols_user_site(&f.trace, 0),
				 &f.trace.sites[1]);
		/* better than no line */
		f.trace.sites[1].file = crate;
		assert_ptr_equal(xs_symbols_user_site(&f.trace, 0),
				 &f.trace.sites[0]);
	}
	free(f.trace.sites);
}

/* Python lines come before the compiled code below them, and the user's lines
 * before those of packages. */
TEST(test_user_site_in_python)
{
	static char native[] = "/build/callproc.c",
		    package[] = "/usr/lib/python3/dist-packages/torch/nn.py",
		    own[] = "train.py", string[] = "<string>",
		    made[] = "/tmp/torch_geometric.nn.GCNConv_4x.py";
	static char extension[] = "/opt/lib/python3.12/lib-dynload/_ctypes.so";
	struct fixture f;

	init(&f, extension, build_id);
	f.trace.sites[0].module = 0;
	f.trace.sites[0].caller = 1;
	f.trace.sites[1].caller = 2;
	f.trace.sites[0].file = native;
	f.trace.sites[1].file = package;
	f.trace.sites[2].file = own;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[2]);
	assert_ptr_equal(xs_symbols_python_site(&f.trace, 0),
			 &f.trace.sites[2]);
	f.trace.sites[2].file = NULL;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[1]);
	/* a string is code that a package made, or the program itself */
	f.trace.sites[2].file = string;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[2]);
	f.trace.sites[2].file = own;
	f.trace.sites[1].file = string;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[2]);
	f.trace.sites[1].file = made;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[2]);
	f.trace.sites[1].file = f.trace.sites[2].file = NULL;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[0]);
	assert_null(xs_symbols_python_site(&f.trace, 0));
	/* the user can change an extension of their own */
	f.strings[1] = program;
	f.trace.sites[2].file = own;
	assert_ptr_equal(xs_symbols_user_site(&f.trace, 0), &f.trace.sites[0]);
	assert_ptr_equal(xs_symbols_python_site(&f.trace, 0),
			 &f.trace.sites[2]);
	free(f.trace.sites);
}

/* Resolved sites are appended to the file once. */
/* Writes a trace with two sites; path is that of mkstemp(). */
static void write_sites(char *path)
{
	static const char text[] =
	    "xferspy-text 1\nheader pid=1 state=1\nchunk\n"
	    "string id=5 text=\"cudaMemcpy\"\n"
	    "site call_class=1 site=3 function=5 module=4294967295\n"
	    "site call_class=1 site=9 function=5 module=4294967295\n"
	    "copycall site=3\n";
	struct bytes binary = binary_of(text);
	int file = mkstemp(path);

	assert_true(file >= 0);
	assert_int_equal(write(file, binary.data, binary.size),
			 (ssize_t)binary.size);
	close(file);
	free(binary.data);
}

static void is_longer_by_a_chunk(const struct xs_trace *trace)
{
	assert_int_equal(trace->defect_count, 0);
	assert_int_equal(trace->file_bytes, 3 * 4096);
	assert_int_equal(trace->header.tail_bytes, 3 * 4096);
	assert_int_equal(trace->call_count, 1);
}

TEST(test_append)
{
	char path[] = "xs_test_symbols.XXXXXX", long_name[3000];
	struct xs_trace *trace;
	const char *error;

	write_sites(path);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';

	assert_int_equal(xs_trace_read(path, &trace, &error), 0);
	trace->sites[0].symbol = strdup(long_name);
	trace->sites[0].file = strdup("a.cu");
	trace->sites[0].line = 12;
	struct xs_site *outer = xs_trace_add_outer(trace, 0);
	assert_non_null(outer);
	outer->symbol = strdup("outer");
	outer->file = strdup("b.cu");
	outer->line = 30;
	assert_int_equal(xs_symbols_append(path, trace), 0);
	xs_trace_free(trace);

	for (int again = 0; again < 2; again++) {
		assert_int_equal(xs_trace_read(path, &trace, &error), 0);
		is_longer_by_a_chunk(trace);
		assert_string_equal(trace->sites[0].symbol, long_name);
		assert_string_equal(trace->sites[0].file, "a.cu");
		assert_int_equal(trace->sites[0].line, 12);
		assert_null(trace->sites[1].symbol);
		assert_int_equal(trace->site_count, 3);
		assert_int_equal(trace->sites[0].caller, 2);
		assert_string_equal(trace->sites[2].symbol, "outer");
		assert_string_equal(trace->sites[2].file, "b.cu");
		assert_int_equal(trace->sites[2].line, 30);
		/* nothing new: nothing is appended */
		assert_int_equal(xs_symbols_append(path, trace), 0);
		xs_trace_free(trace);
	}
	unlink(path);
}

TEST(test_append_refuses)
{
	struct bytes binary = binary_of("xferspy-text 1\nheader state=0\n"
					"chunk\nsite site=1\n");
	char path[] = "xs_test_symbols.XXXXXX";
	int file = mkstemp(path);
	struct xs_trace *trace;
	const char *error;

	assert_true(file >= 0);
	assert_int_equal(write(file, binary.data, binary.size),
			 (ssize_t)binary.size);
	close(file);
	assert_int_equal(xs_trace_read(path, &trace, &error), 0);
	trace->sites[0].symbol = strdup("main");
	assert_int_equal(xs_symbols_append(path, trace), -EINVAL);
	unlink(path);
	assert_int_equal(xs_symbols_append(path, trace), -ENOENT);
	xs_trace_free(trace);
	free(binary.data);
}

TEST(test_demangle)
{
	static const char *const cases[][2] = {
	    {"main", "main"},
	    {"", ""},
	    {"_Z", "_Z"},
	    {"_Z9", "_Z9"},
	    {"_Znonsense", "_Znonsense"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *plain = xs_symbols_demangle(cases[i][0]);

		assert_string_equal(plain, cases[i][1]);
		free(plain);
	}

	/* the C++ runtime's demangler keeps the arguments */
	char *plain = xs_symbols_demangle("_ZN3app6reduceEPKfi");

	assert_int_equal(strncmp(plain, "app::reduce", 11), 0);
	free(plain);
}

/* A function of nested pairs: each pair doubles the length of the name, up to
 * 36 of them. */
static void write_doubling(char *name, size_t size, unsigned pairs)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t used = (size_t)snprintf(name, size, "_Z1fSt4pairIiiE");

	for (unsigned i = 0; i < pairs; i++)
		used += (size_t)snprintf(name + used, size - used,
					 "S_IS%c_S%c_E", digits[i], digits[i]);
}

TEST(test_bare_names)
{
	static const char *const cases[][2] = {
	    {"void app::reduce<float>(float const*, int)", "reduce"},
	    {"(anonymous namespace)::scale(float*)", "scale"},
	    {"__main__::relax[abi:v1][abi:cw51](Array<float>)", "relax"},
	    {"map::operator[](int)", "operator[]"},
	    {"cut[abi:v1", "cut"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t length;
		const char *bare = xs_symbols_bare_name(cases[i][0], &length);

		assert_int_equal(length, strlen(cases[i][1]));
		assert_memory_equal(bare, cases[i][1], length);
	}
}

static bool is_demangler_there(void)
{
	char *plain = xs_symbols_demangle("_Z1fi");
	bool there = strcmp(plain, "f(int)") == 0;

	free(plain);
	return there;
}

TEST(test_demangle_many_references)
{
	char name[512];

	write_doubling(name, sizeof(name), 5);
	char *plain = xs_symbols_demangle(name);
	if (is_demangler_there()) {
		assert_memory_equal(plain, "f(std::pair<int, int>, std", 26);
		assert_in_range(strlen(plain), 1000, 3000);
		assert_int_equal(plain[strlen(plain) - 1], ')');
	} else {
		assert_string_equal(plain, "f");
	}
	free(plain);
	/* more than 16 */
	write_doubling(name, sizeof(name), 6);
	plain = xs_symbols_demangle(name);
	assert_string_equal(plain, "f");
	free(plain);
}

/* Names that expand to terabytes: neither one nor many of them may take long.
 */
TEST(test_demangle_is_bounded)
{
	char name[512];

	write_doubling(name, sizeof(name), 36);
	for (unsigned i = 0; i < 1000; i++) {
		char *plain = xs_symbols_demangle(name);

		assert_string_equal(plain, "f");
		free(plain);
	}
}

int main(void)
{
	return unit_run(find_self, NULL, NULL, NULL);
}

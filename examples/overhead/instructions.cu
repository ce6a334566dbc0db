/* SPDX-License-Identifier: MIT */
/*
 * Counts the instructions of the calling thread in an empty launch, or in a
 * copy of 4 KiB, by object, and the cache lines that they lie in; prints a line
 * of JSON. Unlike times, what a tool adds to these counts does not vary between
 * runs. The process makes BEFORE such calls, then a few that its child steps
 * through; results are their medians. A repeating instruction counts as one.
 * Exit code 77 if ptrace is not permitted.
 *
 * 	instructions launch|copy BEFORE
 */
#include "../measure.h"

#include <algorithm>
#include <elf.h>
#include <map>
#include <set>
#include <signal.h>
#include <stddef.h>
#include <string>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/* Calls between two synchronisations, calls that are stepped through, and those
 * before each: a tool may have emptied its buffers meanwhile. */
static const long batch = 100, stepped = 5, between = 20;
static const size_t copy_bytes = 4096;

static const uintptr_t line_bytes = 64;

typedef std::map<std::string, std::vector<long>> counts;

/* One call's counts, by object. */
struct stepped_call {
	std::map<std::string, long> instructions;
	std::map<std::string, std::set<uintptr_t>> lines;
};

__global__ void empty_kernel(void)
{
}

/* NULL: launches. */
static void *host, *device;

/* The child counts between two calls of this function, which has the same
 * address in both processes. */
__attribute__((noinline)) static void call(void)
{
	if (host)
		cudaMemcpyAsync(device, host, copy_bytes,
				cudaMemcpyHostToDevice, 0);
	else
		empty_kernel<<<1, 1>>>();
}

__attribute__((noinline)) static void called(void)
{
	CHECK(cudaDeviceSynchronize());
}

static void make_calls(long count)
{
	for (long i = 0; i < count; i++) {
		call();
		if (i % batch == batch - 1)
			called();
	}
	called();
}

/* Not in a child: a tool may ignore forked processes. */
static void make_all(bool copies, long before)
{
	if (copies) {
		CHECK(cudaMalloc(&device, copy_bytes));
		CHECK(cudaMallocHost(&host, copy_bytes));
		memset(host, 0, copy_bytes);
	}
	make_calls(before);
	for (long i = 0; i < stepped; i++) {
		make_calls(between);
		raise(SIGTRAP);
		call();
		called();
	}
	CHECK(cudaGetLastError());
}

static uintptr_t place_of(pid_t traced)
{
	struct user_regs_struct registers;
	struct iovec whole = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, traced, (void *)NT_PRSTATUS, &whole))
		return 0;
#ifdef __x86_64__
	return registers.rip;
#else
	return registers.pc;
#endif
}

/* Returns the object that contains an address: its file's name up to ".so". */
class objects
{
      public:
	explicit objects(pid_t process) : traced(process)
	{
	}

	const std::string &at(uintptr_t place)
	{
		const object *found = find(place);

		if (!found) {
			read();
			found = find(place);
		}
		return found ? found->name : other;
	}

      private:
	struct object {
		uintptr_t end;
		std::string name;
	};
	pid_t traced;
	std::map<uintptr_t, object> known;
	const std::string other = "other";

	const object *find(uintptr_t place) const
	{
		auto after = known.upper_bound(place);

		if (after == known.begin() || place >= (--after)->second.end)
			return NULL;
		return &after->second;
	}

	void read()
	{
		const std::string maps =
		    "/proc/" + std::to_string(traced) + "/maps";
		FILE *file = fopen(maps.c_str(), "r");
		unsigned long begin, end;
		char line[512], path[256];

		known.clear();
		while (file && fgets(line, sizeof(line), file)) {
			path[0] = '\0';
			if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %255s",
				   &begin, &end, path) < 2)
				continue;
			std::string name = path;
			name = name.substr(name.rfind('/') + 1);
			name = name.substr(0, name.find(".so"));
			known[begin] = {end, name.empty() ? other : name};
		}
		if (file)
			fclose(file);
	}
};

/* Continues until it stops by itself; signals are delivered. */
static bool goes_on(pid_t traced, enum __ptrace_request how)
{
	int status, signal = 0;

	do {
		if (ptrace(how, traced, NULL, (void *)(intptr_t)signal) ||
		    waitpid(traced, &status, 0) != traced ||
		    !WIFSTOPPED(status))
			return false;
		signal = WSTOPSIG(status);
	} while (signal != SIGTRAP);
	return true;
}

#ifdef __x86_64__
/* Returns the bytes of a repeating instruction, such as one that fills memory;
 * 0: it is none. */
static size_t repeating(pid_t traced, uintptr_t place)
{
	const long word = ptrace(PTRACE_PEEKTEXT, traced, (void *)place, NULL);
	const unsigned char *byte = (const unsigned char *)&word;
	size_t i = 1;

	if (byte[0] != 0xf3 && byte[0] != 0xf2)
		return 0;
	if ((byte[i] & 0xf0) == 0x40)
		i++;
	return (byte[i] >= 0xa4 && byte[i] <= 0xa7) ||
		       (byte[i] >= 0xaa && byte[i] <= 0xaf)
		   ? i + 1
		   : 0;
}

static bool set_register(pid_t traced, int number, uintptr_t value)
{
	return ptrace(PTRACE_POKEUSER, traced,
		      (void *)(offsetof(struct user, u_debugreg) +
			       (size_t)number * sizeof(long)),
		      (void *)value) == 0;
}

static bool set_breakpoint(pid_t traced, uintptr_t place)
{
	return set_register(traced, 0, place) && set_register(traced, 7, 1);
}

__attribute__((noinline)) static void pass(void)
{
	__asm__ volatile("nop");
}

/* Returns whether a process stops at a hardware breakpoint. On some virtual
 * machines it can be set, and nothing stops. */
static bool try_breakpoint(void)
{
	const pid_t child = fork();
	bool stopped = false;
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		pass();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFSTOPPED(status))
		return false;
	if (set_breakpoint(child, (uintptr_t)pass) &&
	    !ptrace(PTRACE_CONT, child, NULL, NULL) &&
	    waitpid(child, &status, 0) == child)
		stopped = WIFSTOPPED(status);
	if (stopped) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return stopped;
}

/* Runs this thread to the end of the instruction; without hardware breakpoints,
 * by one step. */
static bool run_to(pid_t traced, uintptr_t place)
{
	static const bool works = try_breakpoint();

	if (!works || !set_breakpoint(traced, place))
		return goes_on(traced, PTRACE_SINGLESTEP);
	return goes_on(traced, PTRACE_CONT) && set_register(traced, 7, 0);
}
#else
static size_t repeating(pid_t, uintptr_t)
{
	return 0;
}

static bool run_to(pid_t, uintptr_t)
{
	return false; /* never asked */
}
#endif

/* Runs one instruction, which may have begun. Returns whether the process
 * stopped again. */
static bool step(pid_t traced, uintptr_t place, bool begun)
{
	const size_t bytes = begun ? repeating(traced, place) : 0;

	return bytes ? run_to(traced, place + bytes)
		     : goes_on(traced, PTRACE_SINGLESTEP);
}

/* Returns whether it was stepped through to its end. */
static bool count(pid_t traced, objects *objects, struct stepped_call *of)
{
	uintptr_t place = 0, last = 0;

	while (place != (uintptr_t)call) {
		if (!step(traced, 0, false))
			return false;
		place = place_of(traced);
	}
	while (place != (uintptr_t)called) {
		if (place != last) {
			const std::string &name = objects->at(place);

			++of->instructions[name];
			of->lines[name].insert(place / line_bytes);
		}
		if (!step(traced, place, place == last))
			return false;
		last = place;
		place = place_of(traced);
	}
	return true;
}

static void print_medians(const char *what, counts *all)
{
	const char *separator = "";

	printf("\"%s\": {", what);
	for (counts::value_type &one : *all) {
		one.second.resize(stepped, 0);
		std::sort(one.second.begin(), one.second.end());
		printf("%s\"%s\": %ld", separator, one.first.c_str(),
		       one.second[stepped / 2]);
		separator = ", ";
	}
	printf("}");
}

/* The child: tells `other` that it traces the process. Returns exit code. */
static int trace(pid_t traced, int other)
{
	objects objects(traced);
	counts instructions, lines;
	long done = 0;
	char ready;

	/* it waits for the answer, and continues from there */
	if (read(other, &ready, 1) != 1 ||
	    ptrace(PTRACE_SEIZE, traced, NULL, NULL) ||
	    ptrace(PTRACE_INTERRUPT, traced, NULL, NULL) ||
	    waitpid(traced, NULL, 0) != traced)
		return 77;
	if (write(other, &ready, 1) != 1)
		return 2;
	while (done < stepped && goes_on(traced, PTRACE_CONT)) {
		struct stepped_call one;

		if (!count(traced, &objects, &one))
			break;
		for (const auto &of : one.instructions)
			instructions[of.first].push_back(of.second);
		for (const auto &of : one.lines)
			lines[of.first].push_back((long)of.second.size());
		done++;
	}
	ptrace(PTRACE_DETACH, traced, NULL, NULL);
	if (done < stepped) {
		fprintf(stderr, "instructions: stepped through %ld calls\n",
			done);
		return 2;
	}
	printf("{");
	print_medians("instructions", &instructions);
	printf(", ");
	print_medians("lines", &lines);
	printf("}\n");
	return 0;
}

/* Returns whether it does. */
static bool is_traced(pid_t tracer, int other)
{
	char ready = 0;

	prctl(PR_SET_PTRACER, tracer);
	return write(other, &ready, 1) == 1 && read(other, &ready, 1) == 1;
}

int main(int argc, char **argv)
{
	const bool copies = argc == 3 && strcmp(argv[1], "copy") == 0;
	const bool known = copies || (argc == 3 && !strcmp(argv[1], "launch"));
	const long before = known ? parse_count(argv[2], "calls") : 0;
	const pid_t self = getpid();
	int pair[2], status;
	pid_t tracer;

	if (before == 0) {
		fprintf(stderr, "usage: instructions launch|copy BEFORE\n");
		return 2;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
		perror("instructions: socketpair");
		return 2;
	}
	tracer = fork();
	if (tracer == 0) {
		close(pair[0]);
		status = trace(self, pair[1]);
		fflush(stdout);
		_exit(status);
	}
	close(pair[1]);
	if (tracer > 0 && is_traced(tracer, pair[0]))
		make_all(copies, before);
	if (tracer < 0 || waitpid(tracer, &status, 0) != tracer ||
	    !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

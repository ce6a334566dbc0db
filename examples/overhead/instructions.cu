/* SPDX-License-Identifier: MIT */
/*
 * The instructions that an empty launch consists of, by the object they are
 * in, as a line of JSON: what a tool adds to them is free of all that makes
 * times differ from run to run. A child launches BEFORE kernels and then a few
 * more, which are stepped through; the medians of those. An instruction that
 * repeats itself is one. Exit code 77 where nobody may trace a process.
 *
 *	instructions BEFORE
 */
#include "../measure.h"

#include <algorithm>
#include <elf.h>
#include <map>
#include <signal.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/* Launches between two synchronisations, and those that are stepped through. */
static const long batch = 500, stepped = 5;

typedef std::map<std::string, std::vector<long>> counts;

__global__ void empty_kernel(void)
{
}

/* The parent counts from the begin of one to the begin of the other, which are
 * in the same place in both processes. */
__attribute__((noinline)) static void launch(void)
{
	empty_kernel<<<1, 1>>>();
}

__attribute__((noinline)) static void launched(void)
{
	CHECK(cudaDeviceSynchronize());
}

static void run_child(long before)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	for (long i = 0; i < before; i++) {
		launch();
		if (i % batch == batch - 1)
			launched();
	}
	launched();
	for (long i = 0; i < stepped; i++) {
		raise(SIGTRAP);
		launch();
		launched();
	}
	CHECK(cudaGetLastError());
	exit(0);
}

static uintptr_t place_of(pid_t child)
{
	struct user_regs_struct registers;
	struct iovec whole = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &whole))
		return 0;
#ifdef __x86_64__
	return registers.rip;
#else
	return registers.pc;
#endif
}

/* The object at a place in the child: its file's name up to ".so". */
class objects
{
      public:
	explicit objects(pid_t process) : child(process)
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
	pid_t child;
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
		    "/proc/" + std::to_string(child) + "/maps";
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

/* Whether the child stopped again, after one instruction. */
static bool step(pid_t child)
{
	int status;

	return ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0 &&
	       waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP;
}

/* Of one launch. Whether it was stepped through to its end. */
static bool count(pid_t child, objects *objects,
		  std::map<std::string, long> *of)
{
	uintptr_t place = 0, last = 0;

	while (place != (uintptr_t)launch) {
		if (!step(child))
			return false;
		place = place_of(child);
	}
	while (place != (uintptr_t)launched) {
		if (place != last)
			++(*of)[objects->at(place)];
		last = place;
		if (!step(child))
			return false;
		place = place_of(child);
	}
	return true;
}

static void print(counts *all)
{
	const char *separator = "";

	printf("{\"instructions\": {");
	for (counts::value_type &one : *all) {
		one.second.resize(stepped, 0);
		std::sort(one.second.begin(), one.second.end());
		printf("%s\"%s\": %ld", separator, one.first.c_str(),
		       one.second[stepped / 2]);
		separator = ", ";
	}
	printf("}}\n");
}

int main(int argc, char **argv)
{
	const long before = argc == 2 ? parse_count(argv[1], "launches") : 0;
	long done = 0;
	counts all;
	int status;
	pid_t child;

	if (before == 0) {
		fprintf(stderr, "usage: instructions BEFORE\n");
		return 2;
	}
	child = fork();
	if (child == 0)
		run_child(before);
	objects objects(child);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		const bool marked = WSTOPSIG(status) == SIGTRAP;
		std::map<std::string, long> one;

		if (marked && done < stepped && count(child, &objects, &one)) {
			for (const auto &of : one)
				all[of.first].push_back(of.second);
			done++;
		}
		ptrace(PTRACE_CONT, child, NULL,
		       (void *)(intptr_t)(marked ? 0 : WSTOPSIG(status)));
	}
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return WEXITSTATUS(status);
	if (done < stepped) {
		fprintf(stderr, "instructions: stepped through %ld launches\n",
			done);
		return 2;
	}
	print(&all);
	return 0;
}

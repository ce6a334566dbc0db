/* SPDX-License-Identifier: MIT */
/*
 * Demangles C++ names with the C++ runtime's demangler, loaded at run time so
 * that the command stays plain C; without it, with a simple parser of nested
 * names.
 *
 * A mangled name can refer back to its own parts, and these to others: a few
 * hundred bytes can expand to more than any memory holds. A name with few
 * references is harmless; one with many is demangled in a child process with a
 * time limit.
 */
#include "analyzer/symbols/symbols.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* With this many references a name expands at most 3^(16/3) times. */
#define REFERENCES_MAX 16
#define TIME_MAX_US    50000
#define PLAIN_MAX      65536
/* After this many time-outs, names with many references are no longer tried. */
#define FAILURES_MAX 16

typedef char *demangle_function(const char *name, char *buffer, size_t *size,
				int *status);

static demangle_function *find_demangler(void)
{
	static demangle_function *demangler;
	static bool tried;

	if (!tried) {
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		void *symbol =
		    library ? dlsym(library, "__cxa_demangle") : NULL;

		memcpy(&demangler, &symbol, sizeof(demangler));
		tried = true;
	}
	return demangler;
}

/*
 * Returns the names in _ZN2at6native3fooE... or _Z3foo..., joined by "::" and
 * without arguments. NULL for any other form.
 */
static char *read_names(const char *name)
{
	char *out = malloc(2 * strlen(name) + 1);
	size_t used = 0;
	bool nested;

	if (!out)
		return NULL;
	name += 2; /* "_Z" */
	nested = *name == 'N';
	name += nested;
	while (isdigit((unsigned char)*name)) {
		size_t length = strtoul(name, (char **)(uintptr_t)&name, 10);

		if (length > strlen(name))
			break;
		used += (size_t)sprintf(out + used, "%s%.*s", used ? "::" : "",
					(int)length, name);
		name += length;
		if (!nested)
			break;
	}
	if (used == 0) {
		free(out);
		return NULL;
	}
	return out;
}

/* S0_ and T0_ are references; other letters S and T are counted as well. */
static size_t count_references(const char *name)
{
	size_t count = 0;

	while ((name = strpbrk(name, "ST"))) {
		count++;
		name++;
	}
	return count;
}

/* Runs in the child: the timer's signal kills it when it takes too long. */
static void demangle_in_time(demangle_function *demangler, const char *name,
			     int out)
{
	const struct itimerval limit = {.it_value = {0, TIME_MAX_US}};
	size_t length, written = 0;
	char *plain;
	int status;

	signal(SIGVTALRM, SIG_DFL);
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	plain = demangler(name, NULL, NULL, &status);
	length = plain ? strlen(plain) : 0;
	while (length <= PLAIN_MAX && written < length) {
		ssize_t some = write(out, plain + written, length - written);

		if (some < 0)
			break;
		written += (size_t)some;
	}
	_exit(0);
}

/* Returns all input as a string; NULL when it is empty. Caller frees. */
static char *read_all(int in)
{
	char text[PLAIN_MAX + 1];
	size_t used = 0;
	ssize_t some = 1;

	while (some > 0 && used < PLAIN_MAX) {
		some =
		    TEMP_FAILURE_RETRY(read(in, text + used, PLAIN_MAX - used));
		if (some > 0)
			used += (size_t)some;
	}
	text[used] = '\0';
	return used ? strdup(text) : NULL;
}

/* Returns NULL on a time-out, or after too many of them. */
static char *demangle_apart(demangle_function *demangler, const char *name)
{
	static unsigned failures;
	char *plain = NULL;
	pid_t child;
	int fds[2];

	if (failures >= FAILURES_MAX || pipe2(fds, O_CLOEXEC) < 0)
		return NULL;
	child = fork();
	if (child == 0)
		demangle_in_time(demangler, name, fds[1]);
	close(fds[1]);
	if (child > 0) {
		plain = read_all(fds[0]);
		TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
	}
	close(fds[0]);
	failures += !plain;
	return plain;
}

char *xs_symbols_demangle(const char *name)
{
	demangle_function *demangler;
	char *plain = NULL;
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return strdup(name);
	demangler = find_demangler();
	if (demangler && count_references(name) > REFERENCES_MAX)
		plain = demangle_apart(demangler, name);
	else if (demangler)
		plain = demangler(name, NULL, NULL, &status);
	if (!plain)
		plain = read_names(name);
	return plain ? plain : strdup(name);
}

const char *xs_symbols_bare_name(const char *name, size_t *length)
{
	static const char anonymous[] = "(anonymous namespace)";
	static const char tag[] = "[abi:"; /* relax[abi:v1], as of numba */
	const char *start = name, *tags;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (strncmp(at, anonymous, sizeof(anonymous) - 1) == 0)
			at += sizeof(anonymous) - 2;
		else if (strncmp(at, tag, sizeof(tag) - 1) == 0)
			at += strcspn(at, "]") - 1;
		else if (*at == '(' && depth == 0)
			break;
		else if (*at == '<')
			depth++;
		else if (*at == '>' && depth > 0)
			depth--;
		else if (depth == 0 && (*at == ' ' || *at == ':'))
			start = at + 1;
	}
	tags = strstr(start, tag);
	*length = strcspn(start, "<(");
	if (tags && tags < start + *length)
		*length = (size_t)(tags - start);
	return start;
}

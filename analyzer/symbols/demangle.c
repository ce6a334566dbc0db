/* SPDX-License-Identifier: MIT */
/*
 * Demangles C++ names with the C++ runtime's demangler, loaded at run time so
 * that the command stays plain C; without it, with a simple parser of nested
 * names.
 *
 * A mangled name can refer back to its own parts, and these to others: a few
 * hundred bytes can expand to more than any memory holds. So one with many
 * references is read by that parser, too.
 */
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With this many references a name expands at most 3^(16/3) times. */
#define REFERENCES_MAX 16

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
	char *out = xs_malloc(2 * strlen(name) + 1);
	size_t used = 0;
	bool nested;

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

/* Counts references such as S_, S1_ and T0_, or a few more. */
static size_t count_references(const char *name)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t count = 0;

	while ((name = strpbrk(name, "ST"))) {
		name += strspn(name, digits);
		count += *name == '_';
	}
	return count;
}

char *xs_symbols_demangle(const char *name)
{
	demangle_function *demangler;
	char *plain = NULL;
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return xs_strdup(name);
	demangler = find_demangler();
	if (demangler && count_references(name) <= REFERENCES_MAX)
		plain = demangler(name, NULL, NULL, &status);
	if (!plain)
		plain = read_names(name);
	return plain ? plain : xs_strdup(name);
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

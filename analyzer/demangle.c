/* SPDX-License-Identifier: MIT */
/*
 * C++ names by the C++ runtime's own demangler, which is loaded when it is
 * there so that the command itself stays plain C; by a small reading of the
 * name alone otherwise.
 */
#include "analyzer/symbols.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
 * The names in _ZN2at6native3fooE... or _Z3foo..., joined by "::": what
 * matters of a kernel's name, without arguments. NULL when it reads otherwise.
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

char *xs_symbols_demangle(const char *name)
{
	demangle_function *demangler;
	char *plain = NULL;
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return strdup(name);
	demangler = find_demangler();
	if (demangler)
		plain = demangler(name, NULL, NULL, &status);
	if (!plain)
		plain = read_names(name);
	return plain ? plain : strdup(name);
}

/* SPDX-License-Identifier: MIT */
/* Loads a plugin that sees its own libraries first: `plugin_host LIBRARY`. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin =
	    argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)
		     : NULL;
	int (*run)(void) = NULL;

	if (plugin)
		*(void **)&run = dlsym(plugin, "run_plugin");
	if (!run) {
		fprintf(stderr, "plugin_host: %s\n", dlerror());
		return 2;
	}
	return run();
}

/* SPDX-License-Identifier: MIT */
/* Whose code a file of Python is, as the recorder and the analyzer see it. */
#pragma once

#include <stdbool.h>
#include <string.h>

/* Code of the standard library, of a package or of torch.compile, which users
 * rarely change. */
static inline bool xs_python_is_package(const char *path)
{
	return strstr(path, "/site-packages/") ||
	       strstr(path, "/dist-packages/") || strstr(path, "/lib/python") ||
	       strstr(path, "/torchinductor_") ||
	       strncmp(path, "<frozen ", 8) == 0;
}

/* Code that has no file, which is the user's own with `python -c` or in a
 * notebook, but may be what a package made; or a file that PyTorch Geometric
 * makes for a model. */
static inline bool xs_python_is_generated(const char *path)
{
	return *path == '<' || strstr(path, "/torch_geometric.");
}

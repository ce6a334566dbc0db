/* SPDX-License-Identifier: MIT */
/* Finds the loaded objects that contain a CUDA runtime. */
#pragma once

#include <stdbool.h>

/* Calls `write` with a line for each loaded object that contains a CUDA
 * runtime: "dynamic:PATH" for a libcudart, "static:PATH" for an object that a
 * runtime is linked into. Reads section names from the objects' files. */
void xs_cudart_objects_list(void (*write)(const char *line));

/* Returns whether a libcudart is loaded and its calls reach our hooks first. */
bool xs_cudart_objects_are_hooked(void);

/* Returns whether a runtime is statically linked into the executable, which
 * imports none of the driver's launches and copies. Reads its file. */
bool xs_cudart_objects_issue_alone(void);

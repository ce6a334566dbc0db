/* SPDX-License-Identifier: MIT */
#include "report/result/driver_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Of the runtime API and of the driver API, where not only the prefix differs;
 * copies by the names of their memory in the code of strategies. */
static const char *const names[][2] = {
    {"cudaHostRegisterDefault", "0"},
    {"cudaHostRegisterMapped", "CU_MEMHOSTREGISTER_DEVICEMAP"},
    {"cudaHostRegister", "cuMemHostRegister"},
    {"cudaMallocHost", "cuMemAllocHost"},
    {"cudaMalloc(", "cuMemAlloc("},
    {"cudaFreeHost(", "cuMemFreeHost("},
    {"cudaFree(", "cuMemFree("},
    {"cudaHostAllocMapped", "CU_MEMHOSTALLOC_DEVICEMAP"},
    {"cudaHostAlloc", "cuMemHostAlloc"},
    {"cudaDeviceSynchronize", "cuCtxSynchronize"},
    {"cudaHostGetDevicePointer", "cuMemHostGetDevicePointer"},
    {"cudaMemcpyAsync(out", "cuMemcpyDtoHAsync(out"},
    {"cudaMemcpyAsync(&out", "cuMemcpyDtoHAsync(&out"},
    {"cudaMemcpyAsync(pinned", "cuMemcpyDtoHAsync(pinned"},
    {"cudaMemcpyAsync(dev[k], in[k], ...", "cuMemcpyHtoDAsync(d[k], in[k], n"},
    {"cudaMemcpyAsync(&d[i*m], &in[i*m], ...",
     "cuMemcpyHtoDAsync(d, &in[i*m], n"},
    {"cudaMemcpyAsync(first_to", "cuMemcpyAsync(first_to"},
    {"cudaMemcpyAsync(", "cuMemcpyHtoDAsync("},
    {"cudaMemcpy(pinned", "cuMemcpyDtoH(pinned"},
    {"cudaMemcpy(dev", "cuMemcpyHtoD(dev"},
    {", cudaMemcpyDefault", ""},
    {"cudaStreamCaptureModeThreadLocal", "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL"},
    {"f<<<..., s[k]>>>(dev[k])", "cuLaunchKernel(f, ..., s[k])"},
    {"f<<<..., s[i]>>>(i)", "cuLaunchKernel(f, ..., s[i])"},
    {"f<<<..., k>>>(a)", "cuLaunchKernel(f, ..., k)"},
    {NULL, NULL}};

const char *xs_words_replace(struct xs_arena *arena, const char *text,
			     const char *const (*words)[2])
{
	for (; (*words)[0]; words++)
		for (const char *at; text && (at = strstr(text, (*words)[0]));)
			text =
			    xs_print(arena, "%.*s%s%s", (int)(at - text), text,
				     (*words)[1], at + strlen((*words)[0]));
	return text;
}

/* Whether a name in a text is one of CUDA's, none of the program's: of no file,
 * and not behind "in ". */
static bool is_of_cuda(const char *text, const char *name, size_t prefix)
{
	const char *end = name + prefix;

	if (!isupper((unsigned char)*end))
		return false;
	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	return *end != '.' &&
	       (name == text || (!isalnum((unsigned char)name[-1]) &&
				 name[-1] != '_' && name[-1] != '/')) &&
	       !(name - text >= 3 && strncmp(name - 3, "in ", 3) == 0);
}

const char *xs_driver_words(struct xs_arena *arena, const char *text)
{
	static const char prefix[] = "cuda";
	const size_t length = sizeof(prefix) - 1;

	text = xs_words_replace(arena, text, names);
	for (const char *at = text; at && (at = strstr(at, prefix));) {
		const size_t before = (size_t)(at - text);

		if (is_of_cuda(text, at, length))
			text = xs_print(arena, "%.*scu%s", (int)before, text,
					at + length);
		at = text ? text + before + 1 : NULL;
	}
	return text;
}

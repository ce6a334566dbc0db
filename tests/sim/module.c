/* SPDX-License-Identifier: MIT */
/* Loaded device code: its functions, its variables, launches. */
#include "tests/sim/module.h"
#include "tests/sim/internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct xs_sim_module {
	struct xs_ptx_program *program; /* NULL: no PTX in the image */
};

const struct xs_ptx_kernel *
xs_sim_function_kernel(const struct xs_sim_function *function)
{
	return (const struct xs_ptx_kernel *)(const void *)function;
}

/* Memory of the kernel of a module with one kernel that was unloaded. The next
 * such module gets it: handles are given out again at once. */
static _Atomic(struct xs_ptx_kernel *) unloaded;

static void move_kernel(struct xs_ptx_program *program,
			struct xs_ptx_kernel *to)
{
	*to = program->kernels[0];
	program->kernels = to;
}

static void reuse_handle(struct xs_ptx_program *program)
{
	struct xs_ptx_kernel *old = program->kernels, *place = NULL;

	if (program->kernel_count == 1)
		place = atomic_exchange(&unloaded, NULL);
	if (!place)
		return;
	move_kernel(program, place);
	free(old);
}

static void keep_handle(struct xs_ptx_program *program)
{
	struct xs_ptx_kernel *place = program->kernels, *other = NULL;

	if (program->kernel_count == 1)
		other = malloc(sizeof(*other));
	if (!other)
		return;
	move_kernel(program, other);
	free(atomic_exchange(&unloaded, place));
}

struct xs_sim_module *xs_sim_module_load(const void *image)
{
	struct xs_sim_module *module = calloc(1, sizeof(*module));
	char *text = xs_sim_fatbin_ptx(image);

	if (module && text)
		module->program = xs_ptx_parse(text);
	free(text);
	if (module && module->program)
		reuse_handle(module->program);
	for (uint32_t i = 0;
	     module && module->program && i < module->program->global_count;
	     i++)
		xs_sim_register(XS_SIM_DEVICE,
				module->program->globals[i].address,
				module->program->globals[i].bytes);
	return module;
}

void xs_sim_module_unload(struct xs_sim_module *module)
{
	if (!module)
		return;
	for (uint32_t i = 0;
	     module->program && i < module->program->global_count; i++)
		xs_sim_unregister(module->program->globals[i].address);
	if (module->program)
		keep_handle(module->program);
	xs_ptx_free(module->program);
	free(module);
}

struct xs_sim_function *xs_sim_module_function(struct xs_sim_module *module,
					       const char *name)
{
	struct xs_ptx_program *program = module->program;

	for (uint32_t i = 0; program && i < program->kernel_count; i++)
		if (strcmp(program->kernels[i].name, name) == 0)
			return (void *)&program->kernels[i];
	return NULL;
}

void *xs_sim_module_global(struct xs_sim_module *module, const char *name,
			   size_t *bytes)
{
	struct xs_ptx_program *program = module->program;

	for (uint32_t i = 0; program && i < program->global_count; i++) {
		if (strcmp(program->globals[i].name, name) == 0) {
			*bytes = program->globals[i].bytes;
			return program->globals[i].address;
		}
	}
	return NULL;
}

void xs_sim_function_info(const struct xs_sim_function *function,
			  struct xs_sim_function_info *info)
{
	const struct xs_ptx_kernel *k = xs_sim_function_kernel(function);

	*info = (struct xs_sim_function_info){
	    .name = k->name,
	    /* virtual registers; ptxas would use fewer */
	    .registers = k->registers < 255 ? k->registers : 255,
	    .shared_bytes = k->shared_bytes,
	    .local_bytes = k->local_bytes,
	};
}

bool xs_sim_function_param(const struct xs_sim_function *function, size_t index,
			   size_t *offset, size_t *bytes)
{
	const struct xs_ptx_kernel *k = xs_sim_function_kernel(function);

	if (index >= k->param_count)
		return false;
	*offset = k->params[index].offset;
	*bytes = k->params[index].bytes;
	return true;
}

static bool valid_shape(const uint32_t grid[3], const uint32_t block[3],
			size_t shared_bytes)
{
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];

	return blocks > 0 && threads > 0 && threads <= XS_SIM_MAX_THREADS &&
	       shared_bytes <= XS_SIM_SHARED_BYTES;
}

int xs_sim_launch(struct xs_sim_function *function,
		  struct xs_sim_stream *stream, const uint32_t grid[3],
		  const uint32_t block[3], size_t shared_bytes, void **args)
{
	const struct xs_ptx_kernel *k = xs_sim_function_kernel(function);
	struct xs_sim_op op = {
	    .kind = XS_SIM_KERNEL,
	    .stream = stream,
	    .launch = {.function = function,
		       .shared_bytes = (uint32_t)shared_bytes},
	};
	char *copy;
	int rc;

	if (k->unsupported)
		return XS_SIM_ENOIMAGE;
	if (!valid_shape(grid, block, shared_bytes))
		return XS_SIM_ECONFIG;
	copy = malloc(k->param_bytes + 1);
	if (!copy)
		return XS_SIM_ENOMEM;
	for (uint32_t i = 0; i < k->param_count; i++)
		memcpy(copy + k->params[i].offset, args[i], k->params[i].bytes);
	memcpy(op.launch.grid, grid, sizeof(op.launch.grid));
	memcpy(op.launch.block, block, sizeof(op.launch.block));
	op.launch.args = copy;
	op.launch.args_bytes = k->param_bytes + 1;
	xs_sim_migrate(NULL, SIZE_MAX, stream->device, true);
	rc = xs_sim_issue(&op);
	if (rc != XS_SIM_OK)
		free(copy);
	return rc;
}

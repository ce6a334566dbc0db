/* SPDX-License-Identifier: MIT */
/* Properties from the driver and the system, and implicit synchronisation. */
#include "report/calibrate/bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Single-precision units per SM by compute capability; 0: unknown. */
static int cores_per_sm(int major, int minor)
{
	switch (major) {
	case 3:
		return 192;
	case 5:
		return 128;
	case 6:
		return minor == 0 ? 64 : 128;
	case 7:
		return 64;
	case 8:
		return minor == 0 ? 64 : 128;
	case 9:
	case 10:
	case 11:
	case 12:
		return 128;
	default:
		return 0;
	}
}

/* Reads the first line of a small file; "" if there is none. */
static void read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (file == NULL)
		return;
	if (fgets(line, (int)size, file) != NULL)
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

static void describe_cpu(struct xs_machine *machine)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || colon == NULL)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(machine->cpu, sizeof(machine->cpu), "%.*s",
			 (int)sizeof(machine->cpu) - 1,
			 colon + 1 + strspn(colon + 1, " "));
		break;
	}
	fclose(file);
}

/* "580.159.04 (CUDA 13.0)": the kernel module's version, if /proc shows it,
 * and CUDA's. */
static void describe_driver(struct xs_bench *bench)
{
	struct xs_machine *machine = bench->machine;
	char line[256], *module;
	int version = 0, major, minor;

	XS_CUDA(&bench->gpu, cuDriverGetVersion, &version);
	major = version / 1000;
	minor = version % 1000 / 10;
	read_line("/proc/driver/nvidia/version", line, sizeof(line));
	module = strstr(line, "  ");
	if (module == NULL) {
		snprintf(machine->driver, sizeof(machine->driver), "CUDA %d.%d",
			 major, minor);
		return;
	}
	module += strspn(module, " ");
	snprintf(machine->driver, sizeof(machine->driver), "%.*s (CUDA %d.%d)",
		 (int)strcspn(module, " "), module, major, minor);
}

/* The PCIe generation of a link speed such as "32.0 GT/s PCIe"; 0: unknown. */
static int generation_of(const char *speed)
{
	static const double speeds[] = {2.5, 5, 8, 16, 32, 64};
	double gigatransfers = strtod(speed, NULL);

	for (size_t i = 0; i < sizeof(speeds) / sizeof(*speeds); i++)
		if (fabs(gigatransfers - speeds[i]) < 0.1)
			return (int)i + 1;
	return 0;
}

/* The link as the kernel reports it, read during copies, which keep it at full
 * speed. */
static void describe_link(struct xs_bench *bench)
{
	struct xs_machine *machine = bench->machine;
	struct xs_cuda_device *gpu = &bench->gpu;
	char path[128], line[64];
	int end;

	end = snprintf(path, sizeof(path),
		       "/sys/bus/pci/devices/%04x:%02x:%02x.0/",
		       xs_cuda_attribute(gpu, XS_CUDA_PCI_DOMAIN),
		       xs_cuda_attribute(gpu, XS_CUDA_PCI_BUS),
		       xs_cuda_attribute(gpu, XS_CUDA_PCI_DEVICE));
	for (size_t i = 0; i < 20; i++)
		xs_bench_copy_async(bench, XS_BENCH_IN, 0, bench->copy_bytes,
				    bench->stream[0]);
	snprintf(path + end, sizeof(path) - (size_t)end, "current_link_speed");
	read_line(path, line, sizeof(line));
	machine->pcie_gen = generation_of(line);
	snprintf(path + end, sizeof(path) - (size_t)end, "current_link_width");
	read_line(path, line, sizeof(line));
	machine->pcie_width = (int)strtol(line, NULL, 10);
	XS_CUDA(gpu, cuCtxSynchronize);
}

void xs_bench_read_uuid(const struct xs_bench *bench, char *text, size_t size)
{
	int (*get)(unsigned char *uuid, int device) = NULL;
	void *found = bench->gpu.library
			  ? dlsym(bench->gpu.library, "cuDeviceGetUuid_v2")
			  : NULL;
	unsigned char uuid[16];
	size_t length;

	text[0] = '\0';
	memcpy((void *)&get, &found, sizeof(found));
	if (!get || get(uuid, bench->gpu.device) != 0)
		return;
	length = (size_t)snprintf(text, size, "GPU");
	for (size_t i = 0; i < sizeof(uuid) && length < size; i++)
		length += (size_t)snprintf(
		    text + length, size - length, "%s%02x",
		    i == 0 || (i % 2 == 0 && i >= 4 && i <= 10) ? "-" : "",
		    uuid[i]);
}

void xs_bench_describe(struct xs_bench *bench)
{
	struct xs_machine *machine = bench->machine;
	struct xs_cuda_device *gpu = &bench->gpu;
	size_t memory_bytes = 0;
	int engines = xs_cuda_attribute(gpu, XS_CUDA_COPY_ENGINES);
	int cores = cores_per_sm(xs_cuda_attribute(gpu, XS_CUDA_CC_MAJOR),
				 xs_cuda_attribute(gpu, XS_CUDA_CC_MINOR));

	XS_CUDA(gpu, cuDeviceGetName, machine->gpu, sizeof(machine->gpu),
		gpu->device);
	XS_CUDA(gpu, cuDeviceTotalMem, &memory_bytes, gpu->device);
	describe_cpu(machine);
	describe_driver(bench);
	describe_link(bench);
	/* devices with more than two engines still copy in two directions */
	machine->copy_engines = engines > 2 ? 2 : engines;
	machine->sm_count = xs_cuda_attribute(gpu, XS_CUDA_SM_COUNT);
	machine->max_threads_per_sm =
	    xs_cuda_attribute(gpu, XS_CUDA_THREADS_PER_SM);
	machine->max_blocks_per_sm =
	    xs_cuda_attribute(gpu, XS_CUDA_BLOCKS_PER_SM);
	machine->registers_per_sm =
	    xs_cuda_attribute(gpu, XS_CUDA_REGISTERS_PER_SM);
	machine->shared_per_sm_bytes =
	    xs_cuda_attribute(gpu, XS_CUDA_SHARED_PER_SM);
	machine->l2_bytes = xs_cuda_attribute(gpu, XS_CUDA_L2_BYTES);
	machine->clock_khz = xs_cuda_attribute(gpu, XS_CUDA_CLOCK_KHZ);
	machine->memory_bytes = (double)memory_bytes;
	/* two transfers per clock, as the driver counts the memory clock */
	machine->memory_bandwidth =
	    2e3 * xs_cuda_attribute(gpu, XS_CUDA_MEMORY_CLOCK_KHZ) *
	    xs_cuda_attribute(gpu, XS_CUDA_MEMORY_BUS_BITS) / 8;
	/* a multiply-add is two operations */
	machine->peak_flops =
	    2e3 * machine->clock_khz * machine->sm_count * cores;
}

/*
 * Implicit synchronisation (van Werkhoven et al. 2014, section IV): a copy to
 * the host waits for all kernels launched before it, also of other streams.
 * The test issues a long kernel in one stream, then a short kernel and a copy
 * in another. Without implicit synchronisation the copy ends long before the
 * long kernel.
 */
void xs_bench_implicit_sync(struct xs_bench *bench)
{
	struct xs_cuda_device *gpu = &bench->gpu;
	const double spin_ns = 2e6;
	struct xs_samples waits = {0};

	for (int i = 0; i < 9; i++) {
		XS_CUDA(gpu, cuEventRecord, bench->event[0], bench->stream[0]);
		xs_cuda_spin(gpu, (uint64_t)(spin_ns * bench->cycles_per_ns), 0,
			     0, bench->stream[0]);
		xs_cuda_launch_empty(gpu, bench->stream[1]);
		xs_bench_copy_async(bench, XS_BENCH_OUT, 0, 4096,
				    bench->stream[1]);
		XS_CUDA(gpu, cuEventRecord, bench->event[1], bench->stream[1]);
		XS_CUDA(gpu, cuCtxSynchronize);
		xs_samples_add(&waits, xs_cuda_elapsed_ns(gpu, bench->event[0],
							  bench->event[1]));
	}
	if (!xs_cuda_failed(gpu))
		bench->machine->implicit_sync =
		    xs_samples_median(&waits) > spin_ns / 2;
}

/* SPDX-License-Identifier: MIT */
#include "preload/api/device.h"
#include "preload/trace/info.h"
#include "preload/util/objects.h"

#include <ctype.h>
#include <cuda.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The driver's functions by symbol name: cuda.h's macros rename some of
 * them. */
static struct driver {
	CUresult (*version)(int *version);
	CUresult (*count)(int *count);
	CUresult (*get)(CUdevice *device, int ordinal);
	CUresult (*name)(char *name, int bytes, CUdevice device);
	CUresult (*attribute)(int *value, CUdevice_attribute attribute,
			      CUdevice device);
	CUresult (*total_memory)(size_t *bytes, CUdevice device);
	CUresult (*bus_id)(char *id, int bytes, CUdevice device);
	/* Since CUDA 11.4; NULL in older drivers. */
	CUresult (*uuid)(CUuuid *uuid, CUdevice device);
	CUresult (*range)(CUdeviceptr *begin, size_t *bytes,
			  CUdeviceptr address);
} driver;

/* CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, which the headers of CUDA 12.0 lack. */
#define HOST_NUMA_ID ((CUdevice_attribute)134)

static const struct xs_symbol driver_symbols[] = {
    {&driver.version, "cuDriverGetVersion", false},
    {&driver.count, "cuDeviceGetCount", false},
    {&driver.get, "cuDeviceGet", false},
    {&driver.name, "cuDeviceGetName", false},
    {&driver.attribute, "cuDeviceGetAttribute", false},
    {&driver.total_memory, "cuDeviceTotalMem_v2", false},
    {&driver.bus_id, "cuDeviceGetPCIBusId", false},
    {&driver.uuid, "cuDeviceGetUuid_v2", true},
    {&driver.range, "cuMemGetAddressRange_v2", true},
};

/* Returns whether all driver functions were found. The driver may be loaded
 * later. */
static bool have_driver(void)
{
	static bool have;
	void *library;

	if (have)
		return true;
	library = xs_objects_driver();
	if (!library)
		return false;
	have = !xs_objects_symbols(library, driver_symbols,
				   sizeof(driver_symbols) /
				       sizeof(*driver_symbols));
	return have;
}

int xs_device_driver_version(void)
{
	int version = 0;

	if (!have_driver() || driver.version(&version) != CUDA_SUCCESS)
		return 0;
	return version;
}

uint64_t xs_device_memory_bytes(uint64_t address)
{
	CUdeviceptr begin;
	size_t bytes;

	if (!have_driver() || !driver.range ||
	    driver.range(&begin, &bytes, address) != CUDA_SUCCESS)
		return 0;
	return begin + bytes - address;
}

uint64_t xs_device_all(void)
{
	int count = 0;

	if (!have_driver() || driver.count(&count) != CUDA_SUCCESS)
		return 0;
	return count >= 64 ? UINT64_MAX : (1ull << count) - 1;
}

static uint32_t attribute(CUdevice device, CUdevice_attribute which)
{
	int value = 0;

	if (driver.attribute(&value, which, device) != CUDA_SUCCESS)
		return 0;
	return value > 0 ? (uint32_t)value : 0;
}

/* Reads a number from a file of sysfs; 0 if there is none. */
static double read_sysfs(const char *bus_id, const char *file)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", bus_id,
		 file);
	for (char *c = path; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strtod(text, NULL);
}

/* Reads the maximum of both ends of the link: an idle link runs slower to save
 * power. Its width does not change. "32.0 GT/s PCIe" is generation 5. */
static void read_link(CUdevice device, struct xs_rec_device *record)
{
	static const double giga_transfers[] = {2.5, 5, 8, 16, 32, 64};
	char bus_id[32] = "";
	double speed, slot_speed, width;

	if (driver.bus_id(bus_id, sizeof(bus_id), device) != CUDA_SUCCESS)
		return;
	speed = read_sysfs(bus_id, "max_link_speed");
	slot_speed = read_sysfs(bus_id, "../max_link_speed");
	if (slot_speed > 0 && slot_speed < speed)
		speed = slot_speed;
	for (xs_u16 i = 0; i < sizeof(giga_transfers) / sizeof(*giga_transfers);
	     i++)
		if (speed >= giga_transfers[i])
			record->pcie_gen = i + 1;
	record->pcie_width = (xs_u16)read_sysfs(bus_id, "max_link_width");
	width = read_sysfs(bus_id, "current_link_width");
	if (width >= 1 && width < record->pcie_width)
		record->pcie_width = (xs_u16)width;
}

/* Writes the device's UUID as "uuid.0=GPU-1b9d6bcd-...", as nvidia-smi does. */
static void write_uuid(int ordinal, CUdevice device)
{
	char key[16], text[48];
	CUuuid uuid;
	int length;

	if (!driver.uuid || driver.uuid(&uuid, device) != CUDA_SUCCESS)
		return;
	length = snprintf(text, sizeof(text), "GPU");
	for (size_t i = 0; i < sizeof(uuid.bytes); i++)
		length += snprintf(
		    text + length, sizeof(text) - (size_t)length, "%s%02x",
		    i == 0 || (i % 2 == 0 && i >= 4 && i <= 10) ? "-" : "",
		    (unsigned char)uuid.bytes[i]);
	snprintf(key, sizeof(key), "uuid.%d", ordinal);
	xs_trace_info(key, "%s", text);
}

/* Writes the NUMA node that is closest to the device as "numa_node.0=1". A
 * driver that does not know the attribute, or a host without NUMA: nothing. */
static void write_numa_node(int ordinal, CUdevice device)
{
	char key[24];
	int node;

	if (driver.attribute(&node, HOST_NUMA_ID, device) != CUDA_SUCCESS ||
	    node < 0)
		return;
	snprintf(key, sizeof(key), "numa_node.%d", ordinal);
	xs_trace_info(key, "%d", node);
}

static bool write_one(int ordinal)
{
	struct xs_rec_device record = {
	    .kind = XS_REC_device,
	    .words = sizeof(record) / 4,
	    .device = (xs_u16)ordinal,
	};
	char name[128] = "";
	size_t memory_bytes = 0;
	CUdevice d;

	if (driver.get(&d, ordinal) != CUDA_SUCCESS)
		return false;
#define GET(type, what) (type) attribute(d, CU_DEVICE_ATTRIBUTE_##what)
	record.cc_major = GET(xs_u16, COMPUTE_CAPABILITY_MAJOR);
	record.cc_minor = GET(xs_u16, COMPUTE_CAPABILITY_MINOR);
	record.copy_engines = GET(xs_u16, ASYNC_ENGINE_COUNT);
	record.max_blocks_per_sm = GET(xs_u16, MAX_BLOCKS_PER_MULTIPROCESSOR);
	record.sm_count = GET(xs_u32, MULTIPROCESSOR_COUNT);
	record.clock_khz = GET(xs_u32, CLOCK_RATE);
	record.max_threads_per_sm = GET(xs_u32, MAX_THREADS_PER_MULTIPROCESSOR);
	record.registers_per_sm = GET(xs_u32, MAX_REGISTERS_PER_MULTIPROCESSOR);
	record.shared_per_sm_bytes =
	    GET(xs_u32, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	record.l2_bytes = GET(xs_u32, L2_CACHE_SIZE);
	/* Two transfers per clock; bus width in bits, clock in kHz. */
	record.memory_bandwidth = GET(xs_u64, MEMORY_CLOCK_RATE) * 1000 * 2 *
				  GET(xs_u64, GLOBAL_MEMORY_BUS_WIDTH) / 8;
#undef GET
	driver.total_memory(&memory_bytes, d);
	record.memory_bytes = memory_bytes;
	driver.name(name, sizeof(name), d);
	read_link(d, &record);
	xs_trace_info_device(&record, name);
	write_uuid(ordinal, d);
	write_numa_node(ordinal, d);
	return true;
}

uint64_t xs_device_write(uint64_t devices)
{
	uint64_t written = 0;

	devices &= xs_device_all();
	for (int ordinal = 0; ordinal < 64; ordinal++)
		if (devices >> ordinal & 1 && write_one(ordinal))
			written |= 1ull << ordinal;
	return written;
}

/* SPDX-License-Identifier: MIT */
/* JSON of the devices. */
#include "report/render/json/values.h"

static json_t *device(const struct xs_result_device *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, name);
	SET_NUMBER(in, index);
	SET_NUMBER(in, sm_count);
	SET_NUMBER(in, copy_engines);
	SET_NUMBER(in, memory_bytes);
	SET_NUMBER(in, pcie_gen);
	SET_NUMBER(in, pcie_width);
	SET_NUMBER(in, numa_node);
	SET_TEXT(in, uuid);
	return xs_json_finish(out, failed);
}
ARRAY_OF(device, struct xs_result_device)

static json_t *device_total(const struct xs_result_device *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, index);
	SET_NUMBER(in, h2d_bytes);
	SET_NUMBER(in, d2h_bytes);
	SET_NUMBER(in, p2p_bytes);
	SET_NUMBER(in, h2d_ops);
	SET_NUMBER(in, d2h_ops);
	SET_NUMBER(in, p2p_ops);
	SET_NUMBER(in, kernels);
	SET_NUMBER(in, h2d_ns);
	SET_NUMBER(in, d2h_ns);
	SET_NUMBER(in, p2p_ns);
	SET_NUMBER(in, kernel_ns);
	SET_NUMBER(in, busy_ns);
	SET_NUMBER(in, overlap_ns);
	return xs_json_finish(out, failed);
}
ARRAY_OF(device_total, struct xs_result_device)

static json_t *gpu_link(const struct xs_result_gpu_link *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, first);
	SET_NUMBER(in, second);
	SET_NUMBER(in, direct_ops);
	SET_NUMBER(in, direct_bytes);
	SET_NUMBER(in, direct_ns);
	SET_NUMBER(in, staged_ops);
	SET_NUMBER(in, staged_bytes);
	SET_NUMBER(in, staged_ns);
	SET_NUMBER(in, peer_ns);
	SET_NUMBER(in, saves_ns);
	SET_NUMBER(in, saves_low_ns);
	SET_NUMBER(in, saves_high_ns);
	SET_NUMBER(in, step);
	SET_TEXT(in, title);
	SET_TEXT(in, saving);
	SET_TEXT(in, advice);
	SET_TEXT(in, code);
	return xs_json_finish(out, failed);
}
ARRAY_OF(gpu_link, struct xs_result_gpu_link)

json_t *xs_json_gpu_links(const struct xs_result_gpu_link *items, size_t count)
{
	return gpu_links(items, count);
}

json_t *xs_json_devices(const struct xs_result_device *items, size_t count)
{
	return devices(items, count);
}

json_t *xs_json_device_totals(const struct xs_result_device *items,
			      size_t count)
{
	return device_totals(items, count);
}

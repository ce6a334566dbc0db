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

json_t *xs_json_devices(const struct xs_result_device *items, size_t count)
{
	return devices(items, count);
}

json_t *xs_json_device_totals(const struct xs_result_device *items,
			      size_t count)
{
	return device_totals(items, count);
}

/* SPDX-License-Identifier: MIT */
/* JSON of the devices, the work of each, and the copies between them. */
#include "report/render/json/parts.h"

#define IN struct xs_result_device
const struct xs_json_field xs_json_device[] = {
    FIELDS(name, index, sm_count, copy_engines, memory_bytes, pcie_gen),
    FIELDS(pcie_width, numa_node, uuid),
    {0}};

const struct xs_json_field xs_json_device_total[] = {
    FIELDS(index, h2d_bytes, d2h_bytes, p2p_bytes, h2d_ops, d2h_ops, p2p_ops),
    FIELDS(kernels, h2d_ns, d2h_ns, p2p_ns, kernel_ns, busy_ns, overlap_ns),
    {0}};

#undef IN
#define IN struct xs_result_gpu_link
const struct xs_json_field xs_json_gpu_link[] = {
    FIELDS(first, second, direct_ops, direct_bytes, direct_ns, staged_ops),
    FIELDS(staged_bytes, staged_ns, peer_ns, saves_ns, saves_low_ns),
    FIELDS(saves_high_ns, step, title, saving, advice, code),
    {0}};

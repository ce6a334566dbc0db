/* SPDX-License-Identifier: MIT */
/*
 * The machine profile: the measured parameters of one machine. Stored as a JSON
 * file that people can read, edit and share; see docs/models.md.
 *
 * Units: ns, ns per byte, bytes. An unknown parameter has the value NAN; models
 * that need it abstain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct xs_param {
	double value;	  /* NAN: unknown */
	double low, high; /* range of 90 % of the measurements; equal to value
			   * if the source gives none */
};

/* The least bytes for which calibration measures pinning and registration. What
 * the line through larger sizes gives for fewer is no time of a call. */
#define XS_PIN_LEAST_BYTES (64u << 10)

/* Bytes of the copies of a batch whose costs were measured. On an H200 a copy
 * of 4 KiB takes 1.6 us, several times as long as one of 16 KiB. */
#define XS_BATCH_COPY_BYTES 16384.0

/*
 * P(name, unit, what). LogGP names as in van Werkhoven 2014, section V: L+o is
 * latency and overhead, G the time per byte, g the gap between transfers.
 */
#define XS_MACHINE_PARAMS(P)                                                   \
	P(lo_h2d_ns, "ns", "L+o of a pinned copy to the device")               \
	P(lo_d2h_ns, "ns", "L+o of a pinned copy to the host")                 \
	P(G_h2d, "ns/byte", "G to the device, pinned, the link to itself")     \
	P(G_d2h, "ns/byte", "G to the host, pinned, the link to itself")       \
	P(g_h2d_ns, "ns", "g between copies to the device")                    \
	P(g_d2h_ns, "ns", "g between copies to the host")                      \
	P(g_both_ns, "ns", "g of each while copies run both ways")             \
	P(g_kernel_ns, "ns",                                                   \
	  "g after a copy to the device that a kernel waits for")              \
	P(g_event_ns, "ns",                                                    \
	  "g after a copy to the device whose event the next waits for")       \
	P(G_both_h2d, "ns/byte", "G to the device while copies run both ways") \
	P(G_both_d2h, "ns/byte", "G to the host while copies run both ways")   \
	P(mapped_read, "ns/byte", "a kernel reads mapped memory")              \
	P(mapped_write, "ns/byte", "a kernel writes mapped memory")            \
	P(mapped_read_64, "ns/byte", "the same by requests of 64 bytes")       \
	P(mapped_read_32, "ns/byte", "the same by requests of 32 bytes")       \
	P(mapped_read_latency_ns, "ns",                                        \
	  "a mapped read of a block on which the next read depends")           \
	P(device_read_latency_ns, "ns",                                        \
	  "a read of device memory on which the next read depends")            \
	P(l2_read_latency_ns, "ns", "the same if the L2 has the data")         \
	P(mapped_write_64, "ns/byte", "writes by requests of 64 bytes")        \
	P(mapped_write_32, "ns/byte", "writes by requests of 32 bytes")        \
	P(mapped_write_partial_ns, "ns", "a write of a part of 32 bytes")      \
	P(mapped_write_apart_ns, "ns", "the same, more than a line apart")     \
	P(mapped_both_read, "ns/byte", "reads while it also writes")           \
	P(mapped_both_write, "ns/byte", "writes while it also reads")          \
	P(mapped_write_vs_h2d, "ns/byte", "mapped writes under copies in")     \
	P(h2d_vs_mapped_write, "ns/byte", "copies in under mapped writes")     \
	P(mapped_write_stall_ns, "ns",                                         \
	  "the longest that mapped writes wait that start under a copy in")    \
	P(mapped_write_early_ns, "ns",                                         \
	  "from the start of mapped writes until copies in slow down")         \
	P(mapped_write_early, "ns/byte",                                       \
	  "mapped writes under copies in, until then")                         \
	P(h2d_stall_ns, "ns",                                                  \
	  "the longest that a copy in waits that starts under mapped writes")  \
	P(mapped_read_vs_d2h, "ns/byte", "mapped reads under copies out")      \
	P(d2h_vs_mapped_read, "ns/byte", "copies out under mapped reads")      \
	P(call_copy_async_ns, "ns", "host time of an asynchronous copy call")  \
	P(call_copy_sync_ns, "ns",                                             \
	  "host time of a blocking copy call beyond "                          \
	  "its transfer, pinned")                                              \
	P(call_launch_ns, "ns", "host time of a kernel launch")                \
	P(call_event_ns, "ns", "host time of an event record or stream wait")  \
	P(launch_latency_ns, "ns",                                             \
	  "from the end of the launch call to the "                            \
	  "start of the kernel, idle device")                                  \
	P(kernel_gap_ns, "ns", "between two dependent kernels of one stream")  \
	P(copy_to_kernel_ns, "ns",                                             \
	  "from a copy's end to the start of a kernel that needs it")          \
	P(sync_ns, "ns",                                                       \
	  "sigma: from the last op's end to the return of a "                  \
	  "synchronisation")                                                   \
	P(stream_create_ns, "ns", "t_sc: one stream created")                  \
	P(pin_fixed_ns, "ns", "pinned allocation, fixed part")                 \
	P(pin_byte_ns, "ns/byte", "pinned allocation, a byte")                 \
	P(register_fixed_ns, "ns", "registration of touched memory, fixed")    \
	P(register_byte_ns, "ns/byte",                                         \
	  "registration of touched memory, a "                                 \
	  "byte")                                                              \
	P(touch_byte_ns, "ns/byte",                                            \
	  "what a copy out to untouched host memory adds, a byte")             \
	P(device_alloc_fixed_ns, "ns", "device allocation, fixed part")        \
	P(device_alloc_byte_ns, "ns/byte", "device allocation, a byte")        \
	P(device_free_fixed_ns, "ns", "device memory freed, fixed part")       \
	P(device_free_byte_ns, "ns/byte", "device memory freed, a byte")       \
	P(host_copy_byte_ns, "ns/byte",                                        \
	  "the host gathers pieces of memory, a byte")                         \
	P(host_threads_byte_ns, "ns/byte",                                     \
	  "the same by a thread on each processor")                            \
	P(graph_instantiate_ns, "ns", "a graph made executable, fixed part")   \
	P(graph_instantiate_node_ns, "ns", "a graph made executable, a node")  \
	P(graph_launch_ns, "ns", "host time of a graph launch, fixed part")    \
	P(graph_launch_node_ns, "ns", "host time of a graph launch, a node")   \
	P(graph_latency_ns, "ns",                                              \
	  "from the end of the launch call to the "                            \
	  "start of a graph, idle device")                                     \
	P(graph_gap_ns, "ns", "between two dependent kernels of a graph")      \
	P(call_batch_ns, "ns", "host time of a batch of copies, fixed part")   \
	P(call_batch_copy_ns, "ns", "host time of a batch of copies, a copy")  \
	P(g_batch_ns, "ns", "g between copies to the device of one batch")     \
	P(poll_system_ns, "ns",                                                \
	  "r_sys: one thread of a kernel polls a flag "                        \
	  "in host memory, a read")                                            \
	P(poll_device_ns, "ns", "r_dev: the same in device memory")            \
	P(flag_ns, "ns",                                                       \
	  "w_flag: from a store of one side until the other side can see it")  \
	P(poll_host_ns, "ns",                                                  \
	  "p_host: a host thread reads a flag that has not changed, from its " \
	  "cache")                                                             \
	P(store_64_ns, "ns",                                                   \
	  "w: a kernel stores 64 bytes to host memory, orders them and "       \
	  "goes on")                                                           \
	P(proxy_ns, "ns",                                                      \
	  "s_proxy: host time of a request to a host thread for the GPU")      \
	P(g_load_ns, "ns",                                                     \
	  "g between messages of 64 bytes that a block loads and a flag each") \
	P(g_store_ns, "ns", "the same for messages that it stores")            \
	P(block_load, "ns/byte", "one block of 512 threads loads host memory") \
	P(block_store, "ns/byte", "one block of 512 threads stores to it")     \
	P(block_store_far, "ns/byte",                                          \
	  "the same of data that the L2 cache does not hold")                  \
	P(lo_peer_ns, "ns", "L+o of a direct copy between two GPUs")           \
	P(G_peer, "ns/byte", "G of direct copies between two GPUs")            \
	P(lo_staged_ns, "ns",                                                  \
	  "L+o of a copy between two GPUs through the host")                   \
	P(G_staged, "ns/byte", "G of copies between two GPUs through the host")

#define XS_CURVE_POINTS 32

/* Pageable copies by size: the time of one blocking copy between pages that
 * were touched before. */
struct xs_curve {
	size_t count;
	double bytes[XS_CURVE_POINTS]; /* ascending */
	double ns[XS_CURVE_POINTS];
	/* range of 90 % of the measurements; 0 if the source gives none */
	double low_ns[XS_CURVE_POINTS], high_ns[XS_CURVE_POINTS];
};

/*
 * F(family): the kinds of rounds that calibrate predicts and then measures.
 * explicit: blocking pinned copies around a kernel; streams; mapped; hybrid.
 */
#define XS_MACHINE_FAMILIES(F) F(explicit) F(streams) F(mapped) F(hybrid)

/* Error of the replay of a family's rounds: median and 90 % range of measured /
 * predicted - 1. */
struct xs_check {
	double value, low, high;
	int cases; /* 0: not checked */
};

enum xs_param_id {
#define XS_MACHINE_ID(name, unit, what) XS_PARAM_##name,
	XS_MACHINE_PARAMS(XS_MACHINE_ID)
#undef XS_MACHINE_ID
	    XS_PARAM_IDS
};

/* Bytes of the name of a profile. */
#define XS_MACHINE_NAME_MAX 64

struct xs_machine {
	char
	    name[XS_MACHINE_NAME_MAX]; /* "h200", or a name given by the user */
	char source[24]; /* "calibrated", "fitted-from-trace", "file",
			  * "published" */
	char gpu[96], cpu[96], driver[32];
	char uuid[48], host[64]; /* where it was measured; "" if not said */
	char date[24];		 /* ISO 8601, when measured */
	char notes[832]; /* source of published numbers, known weaknesses */
	bool usual_host; /* costs of pinning or of graphs are usual ones */

	int copy_engines;  /* 0: unknown */
	int implicit_sync; /* 1, 0, or -1 for unknown */
	int pcie_gen, pcie_width;
	int sm_count, max_threads_per_sm, max_blocks_per_sm;
	int registers_per_sm, shared_per_sm_bytes;
	int l2_bytes;			/* 0: unknown */
	double clock_khz, memory_bytes; /* 0: unknown */
	double memory_bandwidth;	/* bytes/s; 0: unknown */
	double peak_flops; /* flop/s, single precision; 0: unknown */

#define XS_MACHINE_MEMBER(name, unit, what) struct xs_param name;
	XS_MACHINE_PARAMS(XS_MACHINE_MEMBER)
#undef XS_MACHINE_MEMBER

	struct xs_curve pageable_h2d, pageable_d2h;

	struct {
#define XS_MACHINE_FAMILY(family) struct xs_check family;
		XS_MACHINE_FAMILIES(XS_MACHINE_FAMILY)
#undef XS_MACHINE_FAMILY
	} self_check;
	int passes;   /* of calibrate; 0: unknown */
	bool shipped; /* loaded by its name, and does not say where it was
		       * measured: of some machine of that model */
};

/* Returns whether the parameter of that name and unit is a rate that the link
 * alone determines. Rates of host memory and of allocations depend on the
 * system's pages, and vary like latencies. */
bool xs_param_is_of_link(const char *name, const char *unit);

/* Returns what the parameter of that name is, in words; NULL: there is none. */
const char *xs_param_what(const char *name);

/* Returns the name of a parameter or curve that `earlier` has and the machine
 * lacks, wholly or in part; NULL: there is none. */
const char *xs_machine_lacks(const struct xs_machine *machine,
			     const struct xs_machine *earlier);

/* Sets all parameters to NAN, implicit_sync to -1 and the rest to zero. */
void xs_machine_init(struct xs_machine *machine);

/*
 * Loads a profile by path (contains '/' or ends in .json) or by name (searched
 * in XFERSPY_MACHINES, then in the profiles that are installed with the running
 * program, or in its build tree). Returns 0 or -errno; error (of error_size
 * bytes) says what is wrong and what to do.
 */
int xs_machine_load(const char *name_or_path, struct xs_machine *machine,
		    char *error, size_t error_size);

/* Stores the names of the profiles in these folders, sorted, each once. Returns
 * their number, at most max. */
int xs_machine_names(char (*names)[XS_MACHINE_NAME_MAX], int max);

/* Writes the profile as JSON. Returns 0 or -errno. */
int xs_machine_write(const struct xs_machine *machine, FILE *out);

/* Returns the interpolated time of a pageable copy; NAN for an empty curve, and
 * for copies of more bytes than a curve of latencies has. */
double xs_curve_ns(const struct xs_curve *curve, double bytes);

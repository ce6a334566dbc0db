/* SPDX-License-Identifier: MIT */
/*
 * What calls cost the host, how soon the GPU begins, and how soon the host
 * learns that it has ended.
 */
#include "report/calibrate_bench.h"

#include <math.h>

/* Calls between synchronisations: few enough never to fill the queue. */
#define BATCH 200

enum call { CALL_COPY, CALL_LAUNCH, CALL_EVENT };

static void make_call(struct xs_bench *bench, enum call call, int i)
{
	struct xs_gpu *gpu = &bench->gpu;
	xs_gpu_stream stream = bench->stream[0];

	switch (call) {
	case CALL_COPY:
		xs_bench_copy_async(bench, XS_BENCH_IN, 0, 4096, stream);
		break;
	case CALL_LAUNCH:
		xs_gpu_empty(gpu, stream);
		break;
	case CALL_EVENT:
		if (i % 2 == 0)
			XS_GPU(gpu, cuEventRecord, bench->event[0], stream);
		else
			XS_GPU(gpu, cuStreamWaitEvent, bench->stream[1],
			       bench->event[0], 0);
		break;
	}
}

/* One estimate is the mean of a batch: calls come in runs. */
static void measure_call(struct xs_bench *bench, enum call call,
			 struct xs_param *param)
{
	struct xs_samples samples = {0};

	for (int batch = -2; batch < 100; batch++) {
		double start = xs_bench_now_ns();

		for (int i = 0; i < BATCH; i++)
			make_call(bench, call, i);

		double ns = (xs_bench_now_ns() - start) / BATCH;

		XS_GPU(&bench->gpu, cuCtxSynchronize);
		if (batch >= 0)
			xs_samples_add(&samples, ns);
	}
	xs_bench_set(bench, param, &samples);
}

void xs_bench_calls(struct xs_bench *bench, struct xs_machine *machine)
{
	measure_call(bench, CALL_COPY, &machine->call_copy_async_ns);
	measure_call(bench, CALL_LAUNCH, &machine->call_launch_ns);
	measure_call(bench, CALL_EVENT, &machine->call_event_ns);
}

/* The host's time of a blocking pinned copy beyond L+o + k*G. */
static double beyond_transfer_ns(struct xs_bench *bench, int way, size_t bytes,
				 const struct xs_machine *machine)
{
	struct xs_gpu *gpu = &bench->gpu;
	void *host = bench->pinned[way];
	double start = xs_bench_now_ns();
	double latency = 0, byte = 0;

	if (way == XS_BENCH_IN) {
		XS_GPU(gpu, cuMemcpyHtoD, bench->device[way], host, bytes);
		latency = machine->lo_h2d_ns.value;
		byte = machine->G_h2d.value;
	} else {
		XS_GPU(gpu, cuMemcpyDtoH, host, bench->device[way], bytes);
		latency = machine->lo_d2h_ns.value;
		byte = machine->G_d2h.value;
	}
	return fmax(xs_bench_now_ns() - start - latency - byte * (double)bytes,
		    0);
}

void xs_bench_blocking_copy(struct xs_bench *bench, struct xs_machine *machine)
{
	struct xs_samples samples = {0};

	if (isnan(machine->lo_h2d_ns.value + machine->lo_d2h_ns.value +
		  machine->G_h2d.value + machine->G_d2h.value))
		xs_gpu_fail(&bench->gpu, "needs L+o and G, which are missing");
	for (int i = 0; i < 60; i++)
		for (size_t bytes = XS_MIB / 4; bytes <= XS_MIB; bytes *= 2)
			for (int way = 0; way < XS_BENCH_WAYS; way++) {
				double ns = beyond_transfer_ns(bench, way,
							       bytes, machine);

				if (i >= 5)
					xs_samples_add(&samples, ns);
			}
	xs_bench_set(bench, &machine->call_copy_sync_ns, &samples);
}

/* Launches a kernel that spins and then sets the flag for the host to see. */
static void launch_flagged(struct xs_bench *bench, double spin_ns)
{
	xs_gpu_spin(&bench->gpu, (uint64_t)(spin_ns * bench->cycles_per_ns),
		    bench->flag_address, ++bench->flag_value, bench->stream[0]);
}

/* Watches for the flag of the last launch; when it was seen. */
static double flag_seen_ns(struct xs_bench *bench)
{
	double now = xs_bench_now_ns();
	double deadline = now + 1e9;

	while (!xs_gpu_failed(&bench->gpu) &&
	       *bench->flag != bench->flag_value) {
		now = xs_bench_now_ns();
		if (now > deadline)
			xs_gpu_fail(&bench->gpu,
				    "a kernel's write to mapped memory did "
				    "not arrive within a second");
	}
	return xs_bench_now_ns();
}

void xs_bench_launch(struct xs_bench *bench, struct xs_machine *machine)
{
	struct xs_samples samples = {0};

	for (int i = -20; i < 300; i++) {
		launch_flagged(bench, 0);

		double launched = xs_bench_now_ns();
		double seen = flag_seen_ns(bench);

		XS_GPU(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
		if (i >= 0)
			xs_samples_add(&samples, seen - launched);
	}
	xs_bench_set(bench, &machine->launch_latency_ns, &samples);
}

/*
 * sigma: the same kernel is waited for by a synchronisation, and then by
 * watching its flag. The kernel's own time and its launch are in both, so the
 * difference is what the synchronisation takes after the last op has ended.
 */
void xs_bench_sync(struct xs_bench *bench, struct xs_machine *machine)
{
	const double spin_ns = 20000;
	struct xs_samples samples = {0};

	for (int i = -20; i < 300; i++) {
		double start = xs_bench_now_ns();

		launch_flagged(bench, spin_ns);
		XS_GPU(&bench->gpu, cuStreamSynchronize, bench->stream[0]);

		double synchronised = xs_bench_now_ns() - start;

		start = xs_bench_now_ns();
		launch_flagged(bench, spin_ns);

		double seen = flag_seen_ns(bench) - start;

		XS_GPU(&bench->gpu, cuStreamSynchronize, bench->stream[0]);
		if (i >= 0)
			xs_samples_add(&samples, fmax(synchronised - seen, 0));
	}
	xs_bench_set(bench, &machine->sync_ns, &samples);
}

/* The GPU's time of `count` kernels in a row that spin for spin_ns each. */
static double chain_ns(struct xs_bench *bench, int count, double spin_ns)
{
	struct xs_gpu *gpu = &bench->gpu;
	uint64_t cycles = (uint64_t)(spin_ns * bench->cycles_per_ns);

	XS_GPU(gpu, cuEventRecord, bench->event[0], bench->stream[0]);
	for (int i = 0; i < count; i++)
		xs_gpu_spin(gpu, cycles, 0, 0, bench->stream[0]);
	XS_GPU(gpu, cuEventRecord, bench->event[1], bench->stream[0]);
	XS_GPU(gpu, cuEventSynchronize, bench->event[1]);
	return xs_gpu_elapsed_ns(gpu, bench->event[0], bench->event[1]);
}

/* What splitting one kernel into a chain of them adds, for each cut. Each
 * spins for longer than its launch takes, so that the GPU never waits for the
 * host. */
void xs_bench_kernel_gap(struct xs_bench *bench, struct xs_machine *machine)
{
	const int count = 20;
	const double spin_ns = 15000;
	struct xs_samples samples = {0};

	for (int i = -3; i < 100; i++) {
		double one = chain_ns(bench, 1, count * spin_ns);
		double many = chain_ns(bench, count, spin_ns);

		if (i >= 0)
			xs_samples_add(&samples,
				       fmax((many - one) / (count - 1), 0));
	}
	xs_bench_set(bench, &machine->kernel_gap_ns, &samples);
}

void xs_bench_stream_create(struct xs_bench *bench, struct xs_machine *machine)
{
	struct xs_gpu *gpu = &bench->gpu;
	struct xs_samples samples = {0};
	xs_gpu_stream streams[32] = {NULL};

	for (int round = -1; round < 8; round++) {
		for (int i = 0; i < 32; i++) {
			double start = xs_bench_now_ns();

			XS_GPU(gpu, cuStreamCreate, &streams[i], 0);
			if (round >= 0)
				xs_samples_add(&samples,
					       xs_bench_now_ns() - start);
		}
		for (int i = 0; i < 32; i++)
			XS_GPU(gpu, cuStreamDestroy, streams[i]);
	}
	xs_bench_set(bench, &machine->stream_create_ns, &samples);
}

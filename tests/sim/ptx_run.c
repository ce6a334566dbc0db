/* SPDX-License-Identifier: MIT */
/* Blocks, warps and control flow of an interpreted kernel. */
#include "tests/sim/module.h"
#include "tests/sim/ptx_warp.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Positions of lanes that cannot run: exited; at a barrier, with the position
 * to continue at in the low bits. */
#define LEFT	   UINT32_MAX
#define AT_BARRIER 0x80000000u

/* Runs the lanes with the lowest position, up to the position of the next. */
static bool schedule(struct xs_ptx_warp *warp, uint32_t *pc, uint32_t *limit)
{
	uint32_t low = AT_BARRIER, next = AT_BARRIER;

	for (unsigned l = 0; l < LANES; l++)
		if (warp->pc[l] < low)
			low = warp->pc[l];
	if (low == AT_BARRIER)
		return false;
	warp->active = 0;
	for (unsigned l = 0; l < LANES; l++) {
		warp->on[l] = warp->pc[l] == low;
		warp->active += warp->on[l];
		if (warp->pc[l] > low && warp->pc[l] < next)
			next = warp->pc[l];
	}
	warp->mask = warp->on;
	*pc = low;
	*limit = next;
	return true;
}

/* Narrows the mask to the lanes whose guard holds. */
static void guard(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	const lane_u32 *holds = SLOT(u32, insn->guard);

	warp->active = 0;
	for (unsigned l = 0; l < LANES; l++) {
		warp->guarded[l] = warp->on[l] && !holds[l] == insn->negate;
		warp->active += warp->guarded[l];
	}
	warp->mask = warp->guarded;
}

/* Branches: the lanes of the mask to one position and the rest to another. */
static void part(struct xs_ptx_warp *warp, uint32_t there, uint32_t rest)
{
	for (unsigned l = 0; l < LANES; l++)
		if (warp->on[l])
			warp->pc[l] = warp->mask[l] ? there : rest;
}

static void convert_address(struct xs_ptx_warp *warp,
			    const struct xs_ptx_insn *insn)
{
	uint64_t base =
	    insn->sub == XS_PTX_SHARED ? (uintptr_t)warp->block->shared : 0;

	if (insn->to_space)
		base = 0 - base;
	EACH_LANE(SLOT(u64, insn->dst)[l] = SLOT(u64, insn->src[0])[l] + base);
}

/* shfl.down: each lane gets the value of another one of its warp's segment. */
static void shuffle(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	lane_u32 values[LANES];

	memcpy(values, SLOT(u32, insn->src[0]), sizeof(values));
	for (unsigned l = 0; l < LANES; l++) {
		const uint32_t lane = l % XS_SIM_WARP_SIZE;
		const uint32_t clamp = SLOT(u32, insn->src[2])[l];
		const uint32_t segment = clamp >> 8 & 31;
		const uint32_t last =
		    (lane & segment) | (clamp & 31 & ~segment);
		const uint32_t by = SLOT(u32, insn->src[1])[l] & 31;
		const bool inside = lane + by <= last;

		if (!warp->mask[l])
			continue;
		SLOT(u32, insn->dst)[l] = values[inside ? l + by : l];
		if (insn->dst2 >= 0)
			SLOT(u32, insn->dst2)[l] = inside;
	}
}

/* Real time in cycles or ns, so many a microsecond: a kernel that waits for the
 * clock takes that long. */
static void read_clock(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn)
{
	uint64_t cycles = xs_sim_now_ns() * (uint64_t)insn->offset / 1000;

	EACH_LANE(SLOT(u64, insn->dst)[l] = cycles);
}

/* Runs one instruction. Returns true if the lanes must be rescheduled. */
static bool step(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn,
		 uint32_t *pc, unsigned on)
{
	uint32_t next = *pc + 1;

	switch (insn->code) {
	case XS_PTX_bra:
		if (warp->active == on) {
			*pc = insn->target;
			return false;
		}
		if (warp->active > 0) {
			part(warp, insn->target, next);
			return true;
		}
		break;
	case XS_PTX_ret:
		part(warp, LEFT, next);
		return true;
	case XS_PTX_bar:
		part(warp, AT_BARRIER | next, next);
		return true;
	case XS_PTX_ld:
	case XS_PTX_st:
	case XS_PTX_atom:
		xs_ptx_access(warp, insn);
		break;
	case XS_PTX_cvta:
		convert_address(warp, insn);
		break;
	case XS_PTX_shfl:
		shuffle(warp, insn);
		break;
	case XS_PTX_clock:
		read_clock(warp, insn);
		break;
	default:
		xs_ptx_compute(warp, insn);
		break;
	}
	*pc = next;
	return false;
}

/* Returns how many of the device's warps, of those in ours, have running
 * lanes. */
static unsigned warps_on(const struct xs_ptx_warp *warp)
{
	unsigned warps = 0;

	for (unsigned l = 0; l < LANES; l += XS_SIM_WARP_SIZE)
		warps += memchr(warp->on + l, 1, XS_SIM_WARP_SIZE) != NULL;
	return warps;
}

/* Instructions of a warp before the next warp runs: warps may poll what others,
 * or the host, write. A poll takes as much of its turn as so many. */
#define TURN 4096
#define POLL 256

/* Runs until every lane has exited or waits at a barrier: then returns false.
 * Returns true after a turn. */
static bool run_warp(struct xs_ptx_warp *warp)
{
	const struct xs_ptx_insn *insns = warp->block->kernel->insns;
	struct xs_sim_counts *counts = warp->block->counts;
	uint64_t instructions = 0, polls = 0;
	uint32_t pc, limit;

	while (instructions + polls < TURN && schedule(warp, &pc, &limit)) {
		const unsigned on = warp->active;
		const unsigned warps = counts ? warps_on(warp) : 0;
		uint64_t before = instructions;
		bool parted = false;

		while (pc < limit && !parted && instructions + polls < TURN) {
			const struct xs_ptx_insn *insn = &insns[pc];

			instructions += on;
			polls += insn->polls ? POLL : 0;
			if (insn->guard >= 0)
				guard(warp, insn);
			parted = step(warp, insn, &pc, on);
			warp->active = on;
			warp->mask = warp->on;
		}
		if (!parted)
			part(warp, pc, pc);
		if (counts)
			counts->instructions +=
			    (instructions - before) / on * warps;
	}
	warp->block->work.instructions += instructions;
	warp->block->polls |= polls > 0;
	return instructions + polls >= TURN;
}

/* Returns whether lanes were waiting. */
static bool release_barrier(struct xs_ptx_warp *warp)
{
	bool waiting = false;

	for (unsigned l = 0; l < LANES; l++) {
		if (warp->pc[l] != LEFT) {
			warp->pc[l] &= ~AT_BARRIER;
			waiting = true;
		}
	}
	return waiting;
}

static void run_block(struct xs_ptx_warp *warps, unsigned warp_count)
{
	struct xs_ptx_block *block = warps->block;
	uint64_t yielded = block->work.instructions;
	bool waiting = true, running;

	while (waiting) {
		do {
			running = false;
			for (unsigned w = 0; w < warp_count; w++)
				running |= run_warp(&warps[w]);
			/* the host may need the core to write */
			if (block->polls &&
			    block->work.instructions - yielded > TURN) {
				sched_yield();
				yielded = block->work.instructions;
			}
		} while (running);
		waiting = false;
		for (unsigned w = 0; w < warp_count; w++)
			waiting = release_barrier(&warps[w]) || waiting;
	}
}

static void fill(struct xs_ptx_warp *warp, int32_t slot, uint32_t value)
{
	if (slot >= 0)
		for (unsigned l = 0; l < LANES; l++)
			SLOT(u32, slot)[l] = value;
}

static void fill_constants(struct xs_ptx_warp *warp)
{
	const struct xs_ptx_kernel *k = warp->block->kernel;

	for (uint32_t i = 0; i < k->constant_count; i++) {
		const struct xs_ptx_constant *c = &k->constants[i];
		char *slot = (char *)SLOT(u8, c->slot);

		for (unsigned l = 0; l < LANES; l++)
			memcpy(slot + (size_t)l * c->bytes, &c->bits, c->bytes);
	}
}

/* Sets what is equal for all blocks. */
static void prepare_warp(struct xs_ptx_warp *warp, unsigned first_thread)
{
	const struct xs_ptx_kernel *k = warp->block->kernel;
	const uint32_t *block = warp->block->launch->block;
	const uint32_t *grid = warp->block->launch->grid;
	const int32_t *special = k->special;

	fill_constants(warp);
	for (unsigned i = 0; i < 3; i++) {
		fill(warp, special[XS_PTX_NTID_X + i], block[i]);
		fill(warp, special[XS_PTX_NCTAID_X + i], grid[i]);
	}
	for (unsigned l = 0; l < LANES; l++) {
		uint32_t t = first_thread + l;
		const struct {
			int32_t slot;
			uint32_t value;
		} own[] = {
		    {special[XS_PTX_TID_X], t % block[0]},
		    {special[XS_PTX_TID_Y], t / block[0] % block[1]},
		    {special[XS_PTX_TID_Z], t / block[0] / block[1]},
		    {special[XS_PTX_LANEID], t % XS_SIM_WARP_SIZE},
		};

		for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
			if (own[i].slot >= 0)
				SLOT(u32, own[i].slot)[l] = own[i].value;
		if (k->local_slot >= 0)
			SLOT(u64, k->local_slot)
		[l] = (uintptr_t)warp->local + (size_t)l * k->local_bytes;
	}
}

static void start_block(struct xs_ptx_warp *warps, unsigned warp_count,
			unsigned threads, const uint32_t at[3])
{
	const int32_t *special = warps->block->kernel->special;

	for (unsigned w = 0; w < warp_count; w++) {
		for (unsigned i = 0; i < 3; i++)
			fill(&warps[w], special[XS_PTX_CTAID_X + i], at[i]);
		for (unsigned l = 0; l < LANES; l++)
			warps[w].pc[l] = w * LANES + l < threads ? 0 : LEFT;
	}
}

static void run_grid(struct xs_ptx_warp *warps, unsigned warp_count,
		     unsigned threads)
{
	const uint32_t *grid = warps->block->launch->grid;
	uint32_t at[3];

	for (at[2] = 0; at[2] < grid[2]; at[2]++)
		for (at[1] = 0; at[1] < grid[1]; at[1]++)
			for (at[0] = 0; at[0] < grid[0]; at[0]++) {
				start_block(warps, warp_count, threads, at);
				run_block(warps, warp_count);
			}
}

struct xs_sim_work xs_sim_run(const struct xs_sim_launch *launch,
			      struct xs_sim_counts *counts)
{
	const struct xs_ptx_kernel *k =
	    xs_sim_function_kernel(launch->function);
	const unsigned threads =
	    launch->block[0] * launch->block[1] * launch->block[2];
	const unsigned warp_count = (threads + LANES - 1) / LANES;
	const size_t warp_regs = (size_t)k->slots * LANES;
	const size_t warp_local = (size_t)k->local_bytes * LANES;
	struct xs_ptx_block block = {
	    .launch = launch, .kernel = k, .counts = counts};
	struct xs_ptx_warp *warps = calloc(warp_count, sizeof(*warps));
	uint64_t *regs = calloc(warp_count * warp_regs + 1, sizeof(*regs));
	char *local = calloc(warp_count * warp_local + 1, 1);

	block.shared = calloc(1, XS_PTX_DYNAMIC_SHARED + launch->shared_bytes);
	if (!warps || !regs || !local || !block.shared)
		goto out;
	for (unsigned w = 0; w < warp_count; w++) {
		warps[w].block = &block;
		warps[w].regs = regs + w * warp_regs;
		warps[w].local = local + w * warp_local;
		prepare_warp(&warps[w], w * LANES);
	}
	run_grid(warps, warp_count, threads);
	if (counts)
		counts->kernels++;
out:
	free(warps);
	free(regs);
	free(local);
	free(block.shared);
	return block.work;
}

/* SPDX-License-Identifier: MIT */
/*
 * A warp of the interpreter: one instruction is run for all of its lanes
 * before the next, so that the cost of decoding is shared and the compiler can
 * use vector instructions. Each lane has its own place in the program; those
 * with the lowest run until they meet others (lanes that parted at a branch
 * join again by themselves).
 */
#ifndef XS_SIM_PTX_WARP_H
#define XS_SIM_PTX_WARP_H

#include "tests/sim/internal.h"
#include "tests/sim/ptx.h"

#define LANES 64

/* A slot has LANES values of its own width, one after the other. */
typedef uint8_t __attribute__((may_alias)) lane_u8;
typedef int8_t __attribute__((may_alias)) lane_s8;
typedef uint16_t __attribute__((may_alias)) lane_u16;
typedef int16_t __attribute__((may_alias)) lane_s16;
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef int64_t __attribute__((may_alias)) lane_s64;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;

struct xs_ptx_block {
	const struct xs_sim_launch *launch;
	const struct xs_ptx_kernel *kernel;
	char *shared;
	struct xs_sim_work work;
	struct xs_sim_counts *counts; /* NULL: not counted */
};

struct xs_ptx_warp {
	struct xs_ptx_block *block;
	uint64_t *regs;
	char *local;
	uint32_t pc[LANES];	/* of each lane; see ptx_run.c */
	uint8_t on[LANES];	/* lanes that run now */
	uint8_t guarded[LANES]; /* and whose guard holds */
	const uint8_t *mask;	/* one of the two */
	unsigned active;	/* lanes in the mask */
};

#define SLOT(type, slot)                                                       \
	((lane_##type *)(void *)(warp->regs + (size_t)(slot)*LANES))

/* Runs the statement for each lane l of the mask. */
#define EACH_LANE(statement)                                                   \
	do {                                                                   \
		if (warp->active == LANES) {                                   \
			for (unsigned l = 0; l < LANES; l++) {                 \
				statement;                                     \
			}                                                      \
		} else {                                                       \
			for (unsigned l = 0; l < LANES; l++) {                 \
				if (warp->mask[l]) {                           \
					statement;                             \
				}                                              \
			}                                                      \
		}                                                              \
	} while (0)

/* An instruction that only computes (XS_PTX_ALU). */
void xs_ptx_compute(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn);
/* ld, st, atom. */
void xs_ptx_access(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn);

#endif

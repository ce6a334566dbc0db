/* SPDX-License-Identifier: MIT */
/*
 * A warp of the interpreter: each instruction is run for all of its lanes
 * before the next, so that decoding is shared and the compiler can use vector
 * instructions. Each lane has its own position in the program; those with the
 * lowest run until they meet others, so that lanes that diverged at a branch
 * converge again.
 */
#pragma once

#include "tests/sim/internal.h"
#include "tests/sim/ptx.h"

#define LANES 64

/* A slot has LANES consecutive values of its own width. */
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
	bool polls;		      /* it reads what others write */
};

struct xs_ptx_warp {
	struct xs_ptx_block *block;
	uint64_t *regs;
	char *local;
	uint32_t pc[LANES];	/* position of each lane; see ptx_run.c */
	uint8_t on[LANES];	/* lanes that run now */
	uint8_t guarded[LANES]; /* running lanes with a true guard */
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

/* An arithmetic instruction (XS_PTX_ALU). */
void xs_ptx_compute(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn);
/* ld, st, atom. */
void xs_ptx_access(struct xs_ptx_warp *warp, const struct xs_ptx_insn *insn);

/* SPDX-License-Identifier: MIT */
/* PTX as the interpreter runs it: every operand is a register slot. Constants
 * and special registers have slots, too, filled before a warp starts, so that
 * one loop over the lanes handles all kinds of operands. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_PTX_DYNAMIC_SHARED (48u * 1024) /* where extern arrays begin */

enum xs_ptx_type {
	XS_PTX_NONE,
	XS_PTX_U8,
	XS_PTX_S8,
	XS_PTX_U16,
	XS_PTX_S16,
	XS_PTX_U32,
	XS_PTX_S32,
	XS_PTX_U64,
	XS_PTX_S64,
	XS_PTX_F32,
	XS_PTX_F64,
	XS_PTX_PRED, /* held as 32 bits, 0 or 1 */
	XS_PTX_TYPES
};

/* X(name, sources): arithmetic instructions. */
#define XS_PTX_ALU(X)                                                          \
	X(mov, 1)                                                              \
	X(add, 2)                                                              \
	X(sub, 2)                                                              \
	X(mul, 2)                                                              \
	X(mulhi, 2)                                                            \
	X(mulwide, 2)                                                          \
	X(mad, 3)                                                              \
	X(madhi, 3)                                                            \
	X(madwide, 3)                                                          \
	X(fma, 3)                                                              \
	X(div, 2)                                                              \
	X(rem, 2)                                                              \
	X(neg, 1)                                                              \
	X(abs, 1)                                                              \
	X(min, 2)                                                              \
	X(max, 2)                                                              \
	X(and, 2)                                                              \
	X(or, 2)                                                               \
	X(xor, 2)                                                              \
	X(not, 1)                                                              \
	X(shl, 2)                                                              \
	X(shr, 2)                                                              \
	X(selp, 3)                                                             \
	X(sqrt, 1)                                                             \
	X(rsqrt, 1)                                                            \
	X(rcp, 1)                                                              \
	X(ex2, 1)                                                              \
	X(lg2, 1)                                                              \
	X(sin, 1)                                                              \
	X(cos, 1)                                                              \
	X(cvt, 1)                                                              \
	X(setp, 2)

#define XS_PTX_ENUM(name, sources) XS_PTX_##name,
enum xs_ptx_code {
	XS_PTX_ALU(XS_PTX_ENUM) XS_PTX_ld,
	XS_PTX_st,
	XS_PTX_atom,
	XS_PTX_cvta,
	XS_PTX_shfl, /* by down */
	XS_PTX_clock,
	XS_PTX_bra,
	XS_PTX_bar,
	XS_PTX_ret,
};
#undef XS_PTX_ENUM

enum xs_ptx_compare {
	XS_PTX_EQ,
	XS_PTX_NE,
	XS_PTX_LT,
	XS_PTX_LE,
	XS_PTX_GT,
	XS_PTX_GE,
	XS_PTX_EQU, /* true also when an operand is not a number */
	XS_PTX_NEU,
	XS_PTX_LTU,
	XS_PTX_LEU,
	XS_PTX_GTU,
	XS_PTX_GEU,
	XS_PTX_NUM,
	XS_PTX_NAN,
};

enum xs_ptx_round {
	XS_PTX_ROUND_NONE,
	XS_PTX_RNI,
	XS_PTX_RZI,
	XS_PTX_RMI,
	XS_PTX_RPI,
};

enum xs_ptx_space {
	XS_PTX_GENERIC, /* and global, const, local: real addresses */
	XS_PTX_PARAM,	/* offsets into the parameter block */
	XS_PTX_SHARED,	/* offsets into the block's shared memory */
};

enum xs_ptx_atom {
	XS_PTX_ATOM_ADD,
	XS_PTX_ATOM_MIN,
	XS_PTX_ATOM_MAX,
	XS_PTX_ATOM_EXCH,
	XS_PTX_ATOM_AND,
	XS_PTX_ATOM_OR,
};

/* setp joined with a predicate: and, or, xor. */
enum xs_ptx_join {
	XS_PTX_JOIN_NONE,
	XS_PTX_JOIN_AND,
	XS_PTX_JOIN_OR,
	XS_PTX_JOIN_XOR,
};

struct xs_ptx_insn {
	uint8_t code;	   /* enum xs_ptx_code */
	uint8_t type;	   /* type of the operation, or read (cvt) */
	uint8_t to;	   /* cvt: type written */
	uint8_t dst_bytes; /* bytes written; st: of the value */
	uint8_t src_bytes; /* cvt: bytes read; ld, st: of the address */
	uint8_t sub;	   /* compare, round, space or atom */
	uint8_t join;	   /* setp */
	bool to_space;	   /* cvta: from generic */
	bool polls;	   /* ld.volatile */
	bool negate;	   /* the guard */
	int32_t guard;	   /* predicate slot, or -1 */
	int32_t dst, dst2; /* setp p|q, shfl d|p; -1: none */
	int32_t src[3];
	uint32_t target; /* bra: instruction index */
	int64_t offset;	 /* ld, st, atom */
};

/* A slot with the same bits in every lane. */
struct xs_ptx_constant {
	int32_t slot;
	uint8_t bytes;
	uint64_t bits;
};

enum xs_ptx_special {
	XS_PTX_TID_X,
	XS_PTX_TID_Y,
	XS_PTX_TID_Z,
	XS_PTX_NTID_X,
	XS_PTX_NTID_Y,
	XS_PTX_NTID_Z,
	XS_PTX_CTAID_X,
	XS_PTX_CTAID_Y,
	XS_PTX_CTAID_Z,
	XS_PTX_NCTAID_X,
	XS_PTX_NCTAID_Y,
	XS_PTX_NCTAID_Z,
	XS_PTX_LANEID,
	XS_PTX_SPECIALS
};

struct xs_ptx_param {
	uint32_t offset, bytes;
};

struct xs_ptx_kernel {
	char *name;
	struct xs_ptx_insn *insns;
	uint32_t insn_count;
	struct xs_ptx_constant *constants;
	uint32_t constant_count;
	struct xs_ptx_param *params;
	uint32_t param_count;
	uint32_t param_bytes;
	uint32_t slots;
	int32_t special[XS_PTX_SPECIALS]; /* slots; -1: not used */
	int32_t local_slot;   /* address of the thread's local memory, or -1 */
	uint32_t local_bytes; /* local memory per thread */
	uint32_t shared_bytes;
	uint32_t registers;
	bool unsupported; /* has unknown instructions */
};

struct xs_ptx_global {
	char *name;
	void *address;
	size_t bytes;
};

struct xs_ptx_program {
	struct xs_ptx_kernel *kernels;
	uint32_t kernel_count;
	struct xs_ptx_global *globals;
	uint32_t global_count;
};

/* Parses PTX text (NUL-terminated). Returns NULL if out of memory. Kernels with
 * unknown instructions are kept and marked. */
struct xs_ptx_program *xs_ptx_parse(const char *text);
void xs_ptx_free(struct xs_ptx_program *program);

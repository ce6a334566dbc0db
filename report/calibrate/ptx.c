/* SPDX-License-Identifier: MIT */
#include "report/calibrate/cuda_device.h"

/*
 * The kernels of xferspy calibrate, in a PTX version that every driver since
 * CUDA 8 compiles for every GPU since Maxwell.
 *
 * xs_empty does nothing. xs_spin spins for some clock cycles, then writes a
 * value to *flag for the host, unless flag is 0. xs_read, xs_write and xs_copy
 * access each 16-byte word of a range once; neighbouring threads access
 * neighbouring words. After each 1 << shift words, xs_read and xs_write skip
 * `gap` bytes, so that an access covers that many words. xs_read sums its
 * loads, so that they are not removed, and stores the sum if it has a value
 * that the data never gives. xs_chase reads as xs_read does, but the address of
 * each load depends on the load before it; `gap` has to be 0. xs_each has one
 * thread per element of 4 bytes.
 *
 * xs_poll reads a zero again and again; each address depends on the read
 * before. Each block of xs_message stores `count` messages of 64 bytes to a
 * line of its own, from `from` if it is not 0, and a flag behind each.
 * xs_mailbox waits in the first thread of each warp until *answer has the
 * number of the turn, then stores that number in *request, both in the warp's
 * own line of 64 bytes; after `most` ns without it sets *late and ends.
 */
#define GRID_STRIDE_START                                                      \
	"	mov.u32 %r0, %ctaid.x;\n"                                            \
	"	mov.u32 %r1, %ntid.x;\n"                                             \
	"	mov.u32 %r2, %tid.x;\n"                                              \
	"	mad.lo.u32 %r0, %r0, %r1, %r2;\n"                                    \
	"	cvt.u64.u32 %rd2, %r0;\n"                                            \
	"	mov.u32 %r2, %nctaid.x;\n"                                           \
	"	mul.lo.u32 %r1, %r1, %r2;\n"                                         \
	"	cvt.u64.u32 %rd3, %r1;\n"

/* Puts the offset of word %rd2 into %rd4; shift is in %r8, gap in %rd6. */
#define WORD_OFFSET                                                            \
	"	shr.u64 %rd7, %rd2, %r8;\n"                                          \
	"	shl.b64 %rd4, %rd2, 4;\n"                                            \
	"	mad.lo.u64 %rd4, %rd7, %rd6, %rd4;\n"

/* Ends a kernel; the sum is in %r7. */
#define STORE_SUM                                                              \
	"	setp.ne.u32 %p1, %r7, 0x9e3779b9;\n"                                 \
	"	@%p1 bra done;\n"                                                    \
	"	ld.param.u64 %rd5, [to];\n"                                          \
	"	st.global.u32 [%rd5], %r7;\n"                                        \
	"done:\n"                                                              \
	"	ret;\n"                                                              \
	"}\n"

const char xs_calibrate_ptx[] =
    ".version 5.0\n"
    ".target sm_50\n"
    ".address_size 64\n"

    ".visible .entry xs_empty()\n"
    "{\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_spin(.param .u64 cycles, .param .u64 flag,\n"
    "	.param .u32 value)\n"
    "{\n"
    "	.reg .pred %p<2>;\n"
    "	.reg .u32 %r<1>;\n"
    "	.reg .u64 %rd<5>;\n"
    "	ld.param.u64 %rd0, [cycles];\n"
    "	ld.param.u64 %rd1, [flag];\n"
    "	ld.param.u32 %r0, [value];\n"
    "	mov.u64 %rd2, %clock64;\n"
    "again:\n"
    "	mov.u64 %rd3, %clock64;\n"
    "	sub.u64 %rd4, %rd3, %rd2;\n"
    "	setp.lt.u64 %p0, %rd4, %rd0;\n"
    "	@%p0 bra again;\n"
    "	setp.eq.u64 %p1, %rd1, 0;\n"
    "	@%p1 bra done;\n"
    "	st.volatile.global.u32 [%rd1], %r0;\n"
    "	membar.sys;\n"
    "done:\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_read(.param .u64 to, .param .u64 from,\n"
    "	.param .u64 words, .param .u32 shift, .param .u64 gap)\n"
    "{\n"
    "	.reg .pred %p<2>;\n"
    "	.reg .u32 %r<9>;\n"
    "	.reg .u64 %rd<8>;\n"
    "	ld.param.u32 %r8, [shift];\n"
    "	ld.param.u64 %rd6, [gap];\n"
    "	ld.param.u64 %rd0, [from];\n"
    "	ld.param.u64 %rd1, [words];\n" GRID_STRIDE_START
    "	mov.u32 %r7, 0;\n"
    "	bra test;\n"
    "again:\n" WORD_OFFSET "	add.u64 %rd4, %rd4, %rd0;\n"
    "	ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd4];\n"
    "	add.u32 %r7, %r7, %r3;\n"
    "	add.u32 %r7, %r7, %r4;\n"
    "	add.u32 %r7, %r7, %r5;\n"
    "	add.u32 %r7, %r7, %r6;\n"
    "	add.u64 %rd2, %rd2, %rd3;\n"
    "test:\n"
    "	setp.lt.u64 %p0, %rd2, %rd1;\n"
    "	@%p0 bra again;\n" STORE_SUM

    ".visible .entry xs_chase(.param .u64 to, .param .u64 from,\n"
    "	.param .u64 words, .param .u32 shift, .param .u64 gap)\n"
    "{\n"
    "	.reg .pred %p<2>;\n"
    "	.reg .u32 %r<8>;\n"
    "	.reg .u64 %rd<8>;\n"
    "	ld.param.u64 %rd6, [gap];\n"
    "	ld.param.u64 %rd0, [from];\n"
    "	ld.param.u64 %rd1, [words];\n" GRID_STRIDE_START
    "	mov.u32 %r7, 0;\n"
    "	bra test;\n"
    "again:\n"
    "	shl.b64 %rd4, %rd2, 4;\n"
    "	add.u64 %rd4, %rd4, %rd0;\n"
    "	ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd4];\n"
    "	add.u32 %r3, %r3, %r4;\n"
    "	add.u32 %r3, %r3, %r5;\n"
    "	add.u32 %r3, %r3, %r6;\n"
    "	add.u32 %r7, %r7, %r3;\n"
    "	cvt.u64.u32 %rd7, %r3;\n"
    "	and.b64 %rd7, %rd7, %rd6;\n"
    "	add.u64 %rd2, %rd2, %rd3;\n"
    "	add.u64 %rd2, %rd2, %rd7;\n"
    "test:\n"
    "	setp.lt.u64 %p0, %rd2, %rd1;\n"
    "	@%p0 bra again;\n" STORE_SUM

    ".visible .entry xs_write(.param .u64 to, .param .u64 from,\n"
    "	.param .u64 words, .param .u32 shift, .param .u64 gap)\n"
    "{\n"
    "	.reg .pred %p<1>;\n"
    "	.reg .u32 %r<9>;\n"
    "	.reg .u64 %rd<8>;\n"
    "	ld.param.u32 %r8, [shift];\n"
    "	ld.param.u64 %rd6, [gap];\n"
    "	ld.param.u64 %rd0, [to];\n"
    "	ld.param.u64 %rd1, [words];\n" GRID_STRIDE_START "	bra test;\n"
    "again:\n" WORD_OFFSET "	add.u64 %rd4, %rd4, %rd0;\n"
    "	st.global.v4.u32 [%rd4], {%r0, %r0, %r0, %r0};\n"
    "	add.u64 %rd2, %rd2, %rd3;\n"
    "test:\n"
    "	setp.lt.u64 %p0, %rd2, %rd1;\n"
    "	@%p0 bra again;\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_copy(.param .u64 to, .param .u64 from,\n"
    "	.param .u64 words)\n"
    "{\n"
    "	.reg .pred %p<1>;\n"
    "	.reg .u32 %r<7>;\n"
    "	.reg .u64 %rd<8>;\n"
    "	ld.param.u64 %rd0, [from];\n"
    "	ld.param.u64 %rd7, [to];\n"
    "	ld.param.u64 %rd1, [words];\n" GRID_STRIDE_START "	bra test;\n"
    "again:\n"
    "	shl.b64 %rd4, %rd2, 4;\n"
    "	add.u64 %rd5, %rd4, %rd0;\n"
    "	add.u64 %rd6, %rd4, %rd7;\n"
    "	ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd5];\n"
    "	st.global.v4.u32 [%rd6], {%r3, %r4, %r5, %r6};\n"
    "	add.u64 %rd2, %rd2, %rd3;\n"
    "test:\n"
    "	setp.lt.u64 %p0, %rd2, %rd1;\n"
    "	@%p0 bra again;\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_each(.param .u64 to, .param .u64 from,\n"
    "	.param .u64 words, .param .u64 step)\n"
    "{\n"
    "	.reg .pred %p<1>;\n"
    "	.reg .u32 %r<4>;\n"
    "	.reg .u64 %rd<8>;\n"
    "	ld.param.u64 %rd0, [from];\n"
    "	ld.param.u64 %rd1, [words];\n"
    "	ld.param.u64 %rd3, [to];\n"
    "	ld.param.u64 %rd4, [step];\n"
    "	mov.u32 %r0, %ctaid.x;\n"
    "	mov.u32 %r1, %ntid.x;\n"
    "	mov.u32 %r2, %tid.x;\n"
    "	mad.lo.u32 %r0, %r0, %r1, %r2;\n"
    "	cvt.u64.u32 %rd2, %r0;\n"
    "	setp.ge.u64 %p0, %rd2, %rd1;\n"
    "	@%p0 bra done;\n"
    "	shl.b64 %rd5, %rd2, 2;\n"
    "	add.u64 %rd5, %rd5, %rd0;\n"
    "	ld.global.u32 %r3, [%rd5];\n"
    "	mul.lo.u64 %rd6, %rd2, %rd4;\n"
    "	add.u64 %rd6, %rd6, %rd3;\n"
    "	st.global.u32 [%rd6], %r3;\n"
    "done:\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_poll(.param .u64 flag, .param .u32 count)\n"
    "{\n"
    "	.reg .pred %p<1>;\n"
    "	.reg .u32 %r<3>;\n"
    "	.reg .u64 %rd<3>;\n"
    "	ld.param.u64 %rd0, [flag];\n"
    "	ld.param.u32 %r0, [count];\n"
    "	mov.u64 %rd1, %rd0;\n"
    "	mov.u32 %r1, 0;\n"
    "again:\n"
    "	ld.volatile.global.u32 %r2, [%rd1];\n"
    "	cvt.u64.u32 %rd2, %r2;\n"
    "	add.u64 %rd1, %rd0, %rd2;\n"
    "	add.u32 %r1, %r1, 1;\n"
    "	setp.lt.u32 %p0, %r1, %r0;\n"
    "	@%p0 bra again;\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_message(.param .u64 to, .param .u64 from,\n"
    "	.param .u64 flag, .param .u32 count)\n"
    "{\n"
    "	.reg .pred %p<4>;\n"
    "	.reg .u32 %r<8>;\n"
    "	.reg .u64 %rd<5>;\n"
    "	ld.param.u64 %rd0, [to];\n"
    "	ld.param.u64 %rd1, [from];\n"
    "	ld.param.u64 %rd2, [flag];\n"
    "	ld.param.u32 %r0, [count];\n"
    "	setp.eq.u64 %p0, %rd1, 0;\n"
    "	mov.u32 %r1, %ctaid.x;\n"
    "	mul.wide.u32 %rd3, %r1, 64;\n"
    "	add.u64 %rd2, %rd2, %rd3;\n"
    "	mov.u32 %r2, %tid.x;\n"
    "	mul.wide.u32 %rd4, %r2, 4;\n"
    "	add.u64 %rd3, %rd3, %rd4;\n"
    "	add.u64 %rd0, %rd0, %rd3;\n"
    "	add.u64 %rd1, %rd1, %rd3;\n"
    "	setp.ne.u32 %p1, %r2, 0;\n"
    "	setp.gt.u32 %p2, %r2, 15;\n"
    "	mov.u32 %r3, 0;\n"
    "again:\n"
    "	add.u32 %r3, %r3, 1;\n"
    "	mov.u32 %r4, %r3;\n"
    "	@%p2 bra sent;\n"
    "	@!%p0 ld.volatile.global.u32 %r4, [%rd1];\n"
    "	st.volatile.global.u32 [%rd0], %r4;\n"
    "sent:\n"
    "	bar.sync 0;\n"
    "	@%p1 bra next;\n"
    "	membar.sys;\n"
    "	st.volatile.global.u32 [%rd2], %r3;\n"
    "next:\n"
    "	setp.lt.u32 %p3, %r3, %r0;\n"
    "	@%p3 bra again;\n"
    "	ret;\n"
    "}\n"

    ".visible .entry xs_mailbox(.param .u64 request, .param .u64 answer,\n"
    "	.param .u32 turns, .param .u64 late, .param .u64 most)\n"
    "{\n"
    "	.reg .pred %p<4>;\n"
    "	.reg .u32 %r<7>;\n"
    "	.reg .u64 %rd<8>;\n"
    "	mov.u32 %r0, %tid.x;\n"
    "	and.b32 %r1, %r0, 31;\n"
    "	setp.ne.u32 %p0, %r1, 0;\n"
    "	@%p0 bra done;\n"
    "	shr.u32 %r1, %r0, 5;\n"
    "	mul.wide.u32 %rd0, %r1, 64;\n"
    "	ld.param.u64 %rd1, [request];\n"
    "	ld.param.u64 %rd2, [answer];\n"
    "	ld.param.u32 %r2, [turns];\n"
    "	ld.param.u64 %rd3, [late];\n"
    "	ld.param.u64 %rd4, [most];\n"
    "	add.u64 %rd1, %rd1, %rd0;\n"
    "	add.u64 %rd2, %rd2, %rd0;\n"
    "	mov.u32 %r3, 1;\n"
    "turn:\n"
    "	mov.u64 %rd5, %globaltimer;\n"
    "	mov.u32 %r4, 0;\n"
    "poll:\n"
    "	ld.volatile.global.u32 %r5, [%rd2];\n"
    "	setp.ge.u32 %p1, %r5, %r3;\n"
    "	@%p1 bra answered;\n"
    "	add.u32 %r4, %r4, 1;\n"
    "	and.b32 %r6, %r4, 63;\n"
    "	setp.ne.u32 %p2, %r6, 0;\n"
    "	@%p2 bra poll;\n"
    "	mov.u64 %rd6, %globaltimer;\n"
    "	sub.u64 %rd7, %rd6, %rd5;\n"
    "	setp.lt.u64 %p3, %rd7, %rd4;\n"
    "	@%p3 bra poll;\n"
    "	st.volatile.global.u32 [%rd3], %r3;\n"
    "	bra done;\n"
    "answered:\n"
    "	st.volatile.global.u32 [%rd1], %r3;\n"
    "	add.u32 %r3, %r3, 1;\n"
    "	setp.le.u32 %p1, %r3, %r2;\n"
    "	@%p1 bra turn;\n"
    "done:\n"
    "	ret;\n"
    "}\n";

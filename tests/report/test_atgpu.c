/* SPDX-License-Identifier: MIT */
/* ATGPU metrics: from a trace, in JSON, and in text. */
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two allocations, then a copy of 4000 bytes in 4 us, a kernel of 8 blocks in
 * 6 us, a copy of 400 bytes back in 2 us; one allocation is freed.
 */
static const char records[] =
    "xferspy-text 1\n"
    "header start_realtime_ns=1000000000 end_realtime_ns=1001000000\n"
    "chunk thread=1 base_ns=1000000000\n"
    "string id=1 text=\"k\"\n"
    "shape shape=1 name=1 grid_x=8 grid_y=1 grid_z=1 block_x=128 block_y=1 "
    "block_z=1 registers=32 shared_static_bytes=2048\n"
    "site call_class=7 site=1\nsite call_class=1 site=2\n"
    "site call_class=5 site=3\nsite call_class=10 site=4\n"
    "memcall site=1 start=0 duration=100 address=4096 bytes=4000\n"
    "memcall site=1 start=200 duration=100 address=16384 bytes=8000\n"
    "copycall site=2 correlation=1 start=1000 duration=5000 bytes=4000\n"
    "call site=3 correlation=2 start=7000 duration=1000\n"
    "copycall site=2 correlation=3 start=8000 duration=9000 bytes=400\n"
    "memcall site=4 start=18000 duration=100 address=4096\n"
    "chunk thread=0 base_ns=1000000000\n"
    "queue queue=1\n"
    "copy queue=1 correlation=1 start=1500 duration=4000 bytes=4000 "
    "direction=1 src_memory=2 dst_memory=3\n"
    "kernel queue=1 correlation=2 start=8200 duration=6000 shape=1\n"
    "copy queue=1 correlation=3 start=14500 duration=2000 bytes=400 "
    "direction=2 src_memory=3 dst_memory=2\n";

/* Hardware counters of the kernel: 2400 instructions in 8 blocks, 1250
 * sectors. */
static const char counters[] =
    "counters name=1 grid_x=8 grid_y=1 grid_z=1 block_x=128 block_y=1 "
    "block_z=1 sectors_read=1000 sectors_written=250 requests_read=250 "
    "requests_written=63 instructions=2400\n";

/* machine: NULL to fit one */
static struct xs_result *result_of(const char *text, const char *more,
				   const struct xs_machine *machine)
{
	const struct xs_result_options options = {.machine = machine};

	return fixture_read(&options, (const char *[]){text, more, NULL});
}

TEST(a_trace_has_its_metrics)
{
	struct xs_result *result = result_of(records, "", NULL);
	const struct xs_result_atgpu *atgpu = &result->phases[0].atgpu;

	assert_int_equal(result->phase_count, 1);
	assert_int_equal(atgpu->rounds, 1);
	assert_int_equal(atgpu->in_words, 1000);
	assert_int_equal(atgpu->out_words, 100);
	assert_int_equal(atgpu->in_transactions, 1);
	assert_int_equal(atgpu->out_transactions, 1);
	assert_int_equal(atgpu->global_words, 3000);
	assert_int_equal(atgpu->shared_words, 512);
	assert_int_equal(atgpu->thread_blocks, 8);
	assert_int_equal(atgpu->operations, XS_UNKNOWN);
	assert_int_equal(atgpu->memory_blocks, XS_UNKNOWN);
	assert_int_equal(atgpu->gpu_cost_ns, XS_UNKNOWN);
	assert_has(atgpu->why, "were not counted");
	/* 6 of 12 us */
	assert_true(fabs(atgpu->transfer_share_observed - 0.5) < 1e-9);
	xs_result_free(result);
}

/*
 * On 1 GHz, 2 multiprocessors of 3 blocks, 32 bytes a ns: 300 operations of a
 * block, twice; 1250 memory blocks; sigma 2 us. Copies: L+o 1 us, G 0.5.
 */
TEST(counted_kernels_have_a_cost)
{
	struct xs_machine machine;

	xs_machine_init(&machine);
	machine.clock_khz = 1e6;
	machine.memory_bandwidth = 32e9;
	machine.sm_count = 2;
	machine.max_blocks_per_sm = 3;
	machine.shared_per_sm_bytes = 49152;
	machine.lo_h2d_ns.value = machine.lo_d2h_ns.value = 1000;
	machine.G_h2d.value = machine.G_d2h.value = 0.5;
	machine.sync_ns.value = 2000;
	struct xs_result *result = result_of(records, counters, &machine);
	const struct xs_result_atgpu *atgpu = &result->phases[0].atgpu;
	assert_int_equal(atgpu->operations, 300);
	/* 1250 sectors of 8 words in blocks of 32 */
	assert_int_equal(atgpu->memory_blocks, 313);
	assert_int_equal(atgpu->in_ns + atgpu->out_ns, 2000 + 2200);
	assert_int_equal(atgpu->cost_ns, 4200 + 300 + 1250 + 2000);
	assert_int_equal(atgpu->gpu_cost_ns, 4200 + 600 + 1250 + 2000);
	assert_int_equal(atgpu->swgpu_cost_ns, 600 + 1250 + 2000);
	assert_null(atgpu->why);
	xs_result_free(result);
}

/* Phase 1 of the fixture with all counters. */
static struct xs_result *counted(void)
{
	struct xs_result *result = fixture_result();

	result->phases[0].atgpu = (struct xs_result_atgpu){
	    .rounds = 412,
	    .in_words = 16777216,
	    .out_words = 16777216,
	    .in_transactions = 1,
	    .out_transactions = 1,
	    .global_words = 33554432,
	    .shared_words = 2048,
	    .thread_blocks = 65536,
	    .blocks_per_sm = 16,
	    .operations = 260,
	    .memory_blocks = 4194304,
	    .in_ns = 6800000,
	    .out_ns = 5900000,
	    .cost_ns = 13000000,
	    .gpu_cost_ns = 14500000,
	    .swgpu_cost_ns = 1800000,
	    .transfer_share = 0.8759,
	    .transfer_share_observed = 0.8667,
	};
	result->phases[1].atgpu.why = "sigma is not known";
	result->phases[2].atgpu.why = "sigma is not known";
	return result;
}

TEST(json_has_every_figure)
{
	struct xs_result *result = counted();
	char *text = fixture_json(result);
	json_t *root = json_loads(text, 0, NULL);
	json_t *phases = json_object_get(root, "phases");
	json_t *atgpu = json_object_get(json_array_get(phases, 0), "atgpu");
	static const struct {
		const char *key;
		long value;
	} want[] = {
	    {"rounds", 412},
	    {"in_words", 16777216},
	    {"in_transactions", 1},
	    {"global_words", 33554432},
	    {"shared_words", 2048},
	    {"thread_blocks", 65536},
	    {"blocks_per_sm", 16},
	    {"operations", 260},
	    {"memory_blocks", 4194304},
	    {"in_ns", 6800000},
	    {"cost_ns", 13000000},
	    {"gpu_cost_ns", 14500000},
	    {"swgpu_cost_ns", 1800000},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(
		    json_integer_value(json_object_get(atgpu, want[i].key)),
		    want[i].value);
	assert_true(json_is_null(json_object_get(atgpu, "why")));
	assert_true(
	    fabs(json_real_value(json_object_get(atgpu, "transfer_share")) -
		 0.8759) < 1e-9);
	atgpu = json_object_get(json_array_get(phases, 1), "atgpu");
	assert_string_equal(json_string_value(json_object_get(atgpu, "why")),
			    "sigma is not known");
	json_decref(root);
	free(text);
	xs_result_free(result);
}

TEST(text_has_it_when_asked)
{
	struct xs_result *result = counted();
	char *text = fixture_text(result, false);

	assert_has_not(text, "ATGPU");
	free(text);
	result->atgpu_asked = true;
	text = fixture_text(result, false);
	assert_has(text, "\nATGPU  Carroll and Wong 2017");
	assert_has(text, "128 MiB       8 KiB  16  260  4194304\n");
	assert_has(text, "12.7 ms   13.0 ms  1.80 ms  14.5 ms   16.0 ms      "
			 "87.6 %    86.7 %\n");
	assert_has(text, "\n  phases 2, 3, no cost: sigma is not known\n");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 80);
	free(text);
	xs_result_free(result);
}

/* SPDX-License-Identifier: MIT */
/*
 * Klenk, Oden and Froening 2014: sums by hand-worked values, and what the
 * paper's text says of its figures, which are not numbers. docs/models.md lists
 * what is not reproduced.
 */
#include "tests/model/model_test.h"

#include "model/formulas/closed_form_klenk.h"

static const struct xs_klenk_path path = {.sync_ns = 2000,
					  .host_ns = 1000,
					  .latency_ns = 500,
					  .byte_ns = 0.5,
					  .launch_ns = 6000,
					  .flag_ns = 600,
					  .poll_host_ns = 50,
					  .store_ns = 100,
					  .read_ns = 1200,
					  .proxy_ns = 1600,
					  .rate_max = INFINITY};

TEST(test_times)
{
	const struct xs_klenk_load load = {1024, 3, 1};

	/* 2000 + 1000 + 500 + 512 + 6000 */
	assert_near(xs_klenk_ns(XS_CONTROL_HOST, &path, &load), 10012);
	/* 600 + 50 + 1000 + 500 + 512 + 2000 + 1200 */
	assert_near(xs_klenk_ns(XS_CONTROL_ASSISTED, &path, &load), 5862);
	/* 3 100 + 500 + 512 + 1200 */
	assert_near(xs_klenk_ns(XS_CONTROL_DIRECT, &path, &load), 2512);
}

TEST(test_rates)
{
	struct xs_klenk_load load = {64, 1, 1};
	struct xs_klenk_path limited = path;

	/* 1 / 1000 ns; T_A is 5382; 1 / (100 + 1200 + 64 / 2) */
	assert_near(xs_klenk_rate(XS_CONTROL_HOST, &path, &load), 1e6);
	assert_near(xs_klenk_rate(XS_CONTROL_ASSISTED, &path, &load),
		    1e9 / 5382);
	assert_near(xs_klenk_rate(XS_CONTROL_DIRECT, &path, &load), 1e9 / 1332);
	/* one host thread serves all: 1 / 1600 from the fourth on */
	load.connections = 2;
	assert_near(xs_klenk_rate(XS_CONTROL_ASSISTED, &path, &load),
		    2e9 / 5382);
	load.connections = 4;
	assert_near(xs_klenk_rate(XS_CONTROL_ASSISTED, &path, &load),
		    1e9 / 1600);
	/* 64 bytes at 2 bytes a ns: 31.25 M/s */
	load.connections = 100;
	assert_near(xs_klenk_rate(XS_CONTROL_HOST, &path, &load), 31.25e6);
	/* 1300 / 100 and 32 */
	assert_near(xs_klenk_rate(XS_CONTROL_DIRECT, &path, &load), 1e9 / 45);
	limited.rate_max = 5e6;
	assert_near(xs_klenk_rate(XS_CONTROL_HOST, &limited, &load), 5e6);
	assert_near(xs_klenk_rate(XS_CONTROL_DIRECT, &limited, &load), 5e6);
}

/* Four connections of 0.5 ns per byte share a link of 0.25, with 100 bytes of
 * each in flight. */
TEST(test_loads_in_flight)
{
	struct xs_klenk_path loads = path;
	struct xs_klenk_load load = {1000, 1, 4};

	loads.link_byte_ns = 0.25;
	loads.flight_bytes = 100;
	/* 100 + 500 + 250 + 1200: the link limits them */
	assert_near(xs_klenk_ns(XS_CONTROL_DIRECT, &loads, &load), 2050);
	/* all four have no more than 400 bytes in flight, which pass the link
	 */
	load.bytes = 400;
	assert_near(xs_klenk_ns(XS_CONTROL_DIRECT, &loads, &load), 1900);
	load.connections = 1;
	assert_near(xs_klenk_ns(XS_CONTROL_DIRECT, &loads, &load), 1950);
	/* (100 + 1200) / 4 and 100 */
	load.connections = 4;
	assert_near(xs_klenk_rate(XS_CONTROL_DIRECT, &loads, &load), 1e9 / 425);
	/* 325, and 2500 of which all of it but 325 / 2500 is hidden */
	load.bytes = 10000;
	assert_near(xs_klenk_rate(XS_CONTROL_DIRECT, &loads, &load),
		    1e9 / (2500 + 325 * 325 / 2500.0));
	/* one connection: its own 0.5 ns per byte are longer */
	load.connections = 1;
	assert_near(xs_klenk_rate(XS_CONTROL_DIRECT, &loads, &load),
		    1e9 / (1300 + 9900 * 0.5));
}

/* Times in units of posting: "ten times", "about 2.5X more" (Fig. 3). The
 * measured time of polling contains L + k G. */
static struct xs_klenk_path posting_is_one(double polling)
{
	return (struct xs_klenk_path){
	    .store_ns = 1.0 / 3, .read_ns = polling, .byte_ns = 0.01};
}

/* Fig. 3 predicts the orders of Fig. 1: polling in device memory is far faster
 * than in system memory, and faster than the assisted control, which is slower
 * than the host's half of the former ("almost twice"). */
TEST(test_order_of_latencies)
{
	const struct xs_klenk_path sys = posting_is_one(10);
	const struct xs_klenk_path dev = posting_is_one(2.5);
	struct xs_klenk_load load = {0, 3, 1};
	const double t_sys = xs_klenk_ns(XS_CONTROL_DIRECT, &sys, &load);
	const double t_dev = xs_klenk_ns(XS_CONTROL_DIRECT, &dev, &load);
	double ratio = t_sys / t_dev;

	assert_near(t_sys, 11);
	assert_near(t_dev, 3.5);
	assert_true(t_dev < t_sys / 2);
	/* "for rather large messages both approaches perform similar" */
	for (load.bytes = 64; load.bytes <= 1 << 20; load.bytes *= 2) {
		const double next =
		    xs_klenk_ns(XS_CONTROL_DIRECT, &sys, &load) /
		    xs_klenk_ns(XS_CONTROL_DIRECT, &dev, &load);

		assert_true(next < ratio);
		ratio = next;
	}
	assert_true(ratio < 1.01);
}

/* 64 bits at 157 MHz (section V) are 1.26 bytes a ns; "about 1GB/s". */
TEST(test_bandwidth_of_the_card)
{
	const struct xs_klenk_path card = {
	    .byte_ns = 1e3 / 157 / 8, .store_ns = 1, .rate_max = INFINITY};
	const struct xs_klenk_load load = {1 << 20, 1, 32};
	const double rate = xs_klenk_rate(XS_CONTROL_DIRECT, &card, &load);

	assert_close_to(rate * load.bytes, 1e9, 0.25, "bandwidth", __FILE__,
			__LINE__);
}

static struct xs_klenk_path random_card(uint64_t *state)
{
	struct xs_klenk_path card = {
	    .host_ns = random_between(state, 100, 2000),
	    .flag_ns = random_between(state, 100, 2000),
	    .latency_ns = random_between(state, 100, 2000),
	    .byte_ns = random_between(state, 0.1, 1),
	    .store_ns = random_between(state, 100, 20000),
	    .read_ns = random_between(state, 100, 20000)};

	/* it waits for the copy of one before it serves the next */
	card.proxy_ns = card.host_ns + card.latency_ns + 64 * card.byte_ns;
	card.rate_max = 1e9 / card.host_ns;
	return card;
}

/*
 * Fig. 5 with any values, since the paper prints no times: assisted control is
 * below the host's and flat beyond T_A / s_proxy connections, all served by one
 * thread; direct control grows with each connection, and is level with the
 * host's from some number on. Blocks and kernels are one c.
 */
TEST(test_rates_of_infiniband)
{
	uint64_t random = 2014;

	for (int i = 0; i < 1000; i++) {
		const struct xs_klenk_path card = random_card(&random);
		struct xs_klenk_load load = {64, 1, 1};
		const double flat =
		    xs_klenk_ns(XS_CONTROL_ASSISTED, &card, &load) /
		    card.proxy_ns;
		double last = 0;

		for (; load.connections <= 1024; load.connections *= 2) {
			const double host =
			    xs_klenk_rate(XS_CONTROL_HOST, &card, &load);
			const double assisted =
			    xs_klenk_rate(XS_CONTROL_ASSISTED, &card, &load);
			const double direct =
			    xs_klenk_rate(XS_CONTROL_DIRECT, &card, &load);

			assert_true(assisted < host);
			if (load.connections >= flat)
				assert_near(assisted, 1e9 / card.proxy_ns);
			assert_true(direct > last || direct >= host);
			last = direct;
		}
		assert_near(last, 1e9 / card.host_ns);
	}
}

/* The rows of a machine, their terms, and abstentions. */
static void set_parts(struct xs_machine *m)
{
	set_param(&m->flag_ns, 600);
	set_param(&m->poll_system_ns, 1200);
	set_param(&m->poll_device_ns, 150);
	set_param(&m->poll_host_ns, 50);
	set_param(&m->store_64_ns, 600);
	set_param(&m->proxy_ns, 550);
	set_param(&m->mapped_write, 0.02);
	set_param(&m->block_store, 0.02);
	set_param(&m->block_load, 0.02);
	/* a test that needs one of these sets it */
	set_param(&m->g_store_ns, NAN);
	set_param(&m->g_load_ns, NAN);
	set_param(&m->block_store_far, NAN);
}

static void fill_rows(const struct xs_machine *m, bool out, double bytes,
		      double blocks, struct xs_control_estimate *rows)
{
	xs_closed_form_klenk(
	    m,
	    &(struct xs_control_question){
		.bytes = bytes, .connections = blocks, .to_host = out},
	    rows);
}

TEST(test_rows)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	fill_rows(&m, true, 64, 1, rows);
	/* sigma, L+o, k G, and a launch with its latency */
	assert_near(rows[0].ns,
		    m.sync_ns.value + m.lo_d2h_ns.value + 64 * m.G_d2h.value +
			m.call_launch_ns.value + m.launch_latency_ns.value);
	set_param(&m.flag_ns, NAN);
	fill_rows(&m, true, 64, 1, rows);
	for (size_t i = 1; i < XS_CONTROL_ROWS; i++)
		assert_string_equal(rows[i].unknown, "flag_ns");
	set_parts(&m);
	fill_rows(&m, true, 64, 4, rows);
	assert_near(rows[1].ns, 600 + 50 + m.lo_d2h_ns.value +
				    64 * m.G_d2h.value + m.sync_ns.value +
				    1200);
	/* w, w_flag and p_host, k G, p_x; a copy writes the flag in device
	 * memory */
	assert_near(rows[2].ns, 600 + 650 + 64 * 0.02 + 1200);
	assert_near(rows[3].ns,
		    600 + 650 + m.lo_h2d_ns.value + 64 * 0.02 + 150);
	assert_near(rows[2].low_ns, rows[2].ns - 600);
	assert_near(rows[2].high_ns, rows[2].ns + 600);
	assert_near(rows[2].rate, 1e9 / (150 + 64 * 0.02));
	set_param(&m.g_store_ns, 400);
	fill_rows(&m, true, 64, 4, rows);
	assert_near(rows[2].rate, 1e9 / (100 + 64 * 0.02));
	/* the host thread serves one after the other, each with its copy */
	assert_near(rows[1].rate, 1e9 / (550 + m.lo_d2h_ns.value +
					 64 * m.G_d2h.value + m.sync_ns.value));
	for (size_t i = 0; i < XS_CONTROL_ROWS; i++)
		assert_null(rows[i].unknown);
}

/* As few of 1, 2, 4 to 32 blocks as are within 3 % of the best. */
TEST(test_best_blocks)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	set_param(&m.block_store, 0.05);
	set_param(&m.g_store_ns, 400);
	fill_rows(&m, true, 8, 0, rows);
	assert_near(rows[2].blocks, 1);
	/* 64 and flags of 72 * 0.02 ns: 13.9 of 32 blocks, 26.4 of 16 */
	assert_near(rows[2].rate_blocks, 32);
	/* 2450 and 100 k bytes by 0.05, 0.025, 0.02 ns each */
	fill_rows(&m, true, 1e5, 0, rows);
	assert_near(rows[2].blocks, 4);
	assert_near(rows[2].ns, 2450 + 2000);
	/* 2000 and 400 / c: 2050 of 8 is within 3 % of 2012.5, 2100 is not */
	assert_near(rows[2].rate_blocks, 8);
	assert_near(rows[2].rate, 1e9 / 2050);
	/* no more than the GPU holds: 2 of 1024 threads */
	m.sm_count = 1;
	m.max_threads_per_sm = 1024;
	fill_rows(&m, true, 1e5, 0, rows);
	assert_near(rows[2].blocks, 2);
}

/* The number of blocks that is chosen above relies on it. */
TEST(test_more_blocks_are_never_slower)
{
	struct xs_control_estimate few[XS_CONTROL_ROWS], many[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	set_param(&m.block_store, 0.05);
	set_param(&m.g_store_ns, 400);
	for (double bytes = 8; bytes < 1e7; bytes *= 10)
		for (double blocks = 1; blocks < 32; blocks *= 2) {
			fill_rows(&m, true, bytes, blocks, few);
			fill_rows(&m, true, bytes, 2 * blocks, many);
			for (size_t i = 0; i < XS_CONTROL_ROWS; i++) {
				assert_true(many[i].ns <= few[i].ns);
				assert_true(many[i].rate >=
					    few[i].rate * (1 - 1e-12));
			}
		}
}

/* The link between two GPUs takes the place of that to the host. */
TEST(test_peers)
{
	struct xs_control_question get = {
	    .bytes = 1000, .connections = 1, .peer = true};
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	set_param(&m.block_load, 0.001);
	set_param(&m.G_peer, NAN);
	set_param(&m.lo_peer_ns, NAN);
	xs_closed_form_klenk(&m, &get, rows);
	assert_string_equal(rows[0].unknown, "G_peer");
	set_param(&m.G_peer, 0.005);
	xs_closed_form_klenk(&m, &get, rows);
	assert_string_equal(rows[1].unknown, "lo_peer_ns");
	/* loads need no copy */
	assert_null(rows[2].unknown);
	assert_near(rows[2].ns, 600 + 650 + 1200 + 5 + 1200);
	set_param(&m.lo_peer_ns, 4000);
	xs_closed_form_klenk(&m, &get, rows);
	assert_near(rows[1].ns, 650 + 4000 + 5 + m.sync_ns.value + 1200);
	assert_near(rows[3].ns, 600 + 650 + 1200 + 4000 + 5 + 150);
}

/* What two ways share leaves their order certain: both have o_h, L, k G, sigma.
 * 650 and 1200 of flags, by 0 and 600, against 6000 of a launch. */
TEST(test_equal_terms_cancel)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	set_param(&m.call_launch_ns, 0);
	set_param(&m.launch_latency_ns, 6000);
	m.sync_ns = (struct xs_param){2000, 0, 90000};
	fill_rows(&m, true, 64, 1, rows);
	assert_true(rows[1].high_ns > rows[0].ns);
	assert_true(xs_control_is_faster(&rows[1], &rows[0]));
	assert_true(!xs_control_is_faster(&rows[0], &rows[1]));
	/* 4150 apart: 600 and 4106 of the launch alone are less, 4108 not */
	m.launch_latency_ns.low = 6000 - 4105;
	fill_rows(&m, true, 64, 1, rows);
	assert_true(xs_control_is_faster(&rows[1], &rows[0]));
	m.launch_latency_ns.low = 6000 - 4108;
	fill_rows(&m, true, 64, 1, rows);
	assert_true(!xs_control_is_faster(&rows[1], &rows[0]));
}

/* A message of 1 MiB out that blocks store together, and one of each. */
static void assert_stored(const struct xs_machine *m, double blocks,
			  double byte_ns, double each_byte_ns)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];

	fill_rows(m, true, 1 << 20, blocks, rows);
	assert_near(rows[2].ns, 600 + 650 + (1 << 20) * byte_ns + 1200);
	assert_near(rows[2].rate,
		    1e9 / (600 / blocks + (1 << 20) * each_byte_ns));
}

TEST(test_places_of_a_source)
{
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	/* a block alone is slower than the link, and four of them are not */
	set_param(&m.block_store, 0.05);
	assert_stored(&m, 1, 0.05, 0.05);
	assert_stored(&m, 2, 0.025, 0.025);
	assert_stored(&m, 4, 0.02, 0.02);
	/* a source that half of the L2 cache cannot hold is read from memory:
	 * of one message, and of one of each block */
	set_param(&m.block_store_far, 0.1);
	m.l2_bytes = 2 << 20;
	assert_stored(&m, 1, 0.05, 0.05);
	assert_stored(&m, 2, 0.025, 0.0375);
	assert_stored(&m, 4, 0.02, 0.025);
	m.l2_bytes = 1 << 20;
	assert_stored(&m, 1, 0.075, 0.075);
	m.l2_bytes = 0; /* unknown */
	assert_stored(&m, 4, 0.02, 0.02);
}

/* A message of 8 bytes and its flag of 64 pass the link. */
TEST(test_flags_take_the_link)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	assert_near(xs_closed_form_klenk_blocks(&m), 528);
	fill_rows(&m, true, 8, 528, rows);
	assert_near(rows[2].rate, 1e9 / (72 * 0.02));
	m.sm_count = 0;
	assert_near(xs_closed_form_klenk_blocks(&m), 32);
}

/* L of L+o less o is at least 0, even if o was measured as longer. */
TEST(test_latency_is_not_negative)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	set_param(&m.call_copy_async_ns, 1e6);
	fill_rows(&m, false, 64, 1, rows);
	assert_near(rows[0].terms[1].ns, 0);
	assert_true(rows[0].ns > 1e6 && rows[1].ns > 1e6);
}

TEST(test_unknown_parameters)
{
	struct xs_control_estimate rows[XS_CONTROL_ROWS];
	struct xs_machine m = shipped_exact("h200");

	set_parts(&m);
	/* of the link, though a block's own is known */
	set_param(&m.block_load, 0.1);
	set_param(&m.mapped_read, NAN);
	fill_rows(&m, false, 64, 1, rows);
	assert_null(rows[1].unknown);
	assert_string_equal(rows[2].unknown, "mapped_read");
	assert_true(isnan(rows[2].ns) && isnan(rows[2].rate));
	set_param(&m.mapped_read, 0.02);
	/* a block's own, though that of the link is known */
	set_param(&m.block_load, NAN);
	fill_rows(&m, false, 64, 1, rows);
	assert_string_equal(rows[2].unknown, "block_load");
	set_param(&m.block_load, 0.1);
	set_param(&m.launch_latency_ns, NAN);
	set_param(&m.poll_device_ns, NAN);
	fill_rows(&m, false, 64, 1, rows);
	assert_string_equal(rows[0].unknown, "launch_latency_ns");
	assert_null(rows[2].unknown);
	assert_string_equal(rows[3].unknown, "poll_device_ns");
}

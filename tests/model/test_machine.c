/* SPDX-License-Identifier: MIT */
#include "tests/model/model_test.h"

#include <unistd.h>

static char error[600];

/* Loads a profile from text. */
static int load_text(const char *text, struct xs_machine *machine)
{
	char path[] = "/tmp/xs-machine-XXXXXX.json";
	const int fd = mkstemps(path, 5);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	error[0] = '\0';
	int rc = xs_machine_load(path, machine, error, sizeof(error));
	unlink(path);
	return rc;
}

/* Table I in ms and ms/byte, times 1e6. */
TEST(test_titan_is_table_1)
{
	const struct xs_machine m = shipped("gtx-titan");

	assert_string_equal(m.source, "published");
	assert_true(m.lo_h2d_ns.value == 9420);	  /* 0.009420 ms */
	assert_true(m.lo_d2h_ns.value == 9023);	  /* 0.009023 ms */
	assert_true(m.G_h2d.value == 0.08318392); /* 8.318392e-8 ms/byte */
	assert_true(m.G_d2h.value == 0.07924734); /* 7.924734e-8 ms/byte */
	assert_true(m.g_h2d_ns.value == 2503);	  /* 0.002503 ms */
	assert_true(m.g_d2h_ns.value == 2674);	  /* 0.002674 ms */
	assert_true(m.h2d_vs_mapped_write.value == 0.1193386);
	assert_true(m.mapped_write_vs_h2d.value == 0.1480396);
	assert_true(isnan(m.mapped_read.value));
	assert_true(m.G_h2d.low == 0.08110432); /* 2.5 % */
	assert_int_equal(m.copy_engines, 1);
	assert_int_equal(m.implicit_sync, 0);
	assert_int_equal(m.pcie_gen, 3);
}

/* What nobody measured of a profile is named. */
TEST(test_usual_costs_of_the_host_are_named)
{
	struct xs_machine m;

	load_text("{\"schema\": 1, \"notes\": \"Mine.\", \"parameters\": "
		  "{\"pin_byte_ns\": 0.5}}",
		  &m);
	assert_has(m.notes, "Mine. Not measured, but usual of H100 hosts: "
			    "pin_fixed_ns, register_fixed_ns, ");
	assert_true(m.usual_host);
}

/* Tables II and III. */
TEST(test_pcie_2_machines)
{
	const struct xs_machine k20 = shipped("k20m");
	const struct xs_machine gtx = shipped("gtx-680");

	assert_int_equal(k20.copy_engines, 2);
	assert_int_equal(k20.implicit_sync, 0);
	assert_int_equal(gtx.copy_engines, 1);
	assert_int_equal(gtx.implicit_sync, 1);
	assert_int_equal(gtx.pcie_gen, 2);
	assert_true(k20.G_both_h2d.value == 0.1741965);
	assert_true(k20.G_both_d2h.value == 0.1747120);
	assert_true(k20.h2d_vs_mapped_write.value == 0.2491988);
	assert_true(k20.mapped_write_vs_h2d.value == 0.2236644);
	assert_true(gtx.G_h2d.value == k20.G_both_h2d.value);
	assert_true(isnan(gtx.G_both_h2d.value)); /* one engine: never both
						   * directions */
	assert_has(gtx.notes, "Weak");
	assert_has(k20.notes, "Weak");
}

static void fill(struct xs_machine *m)
{
	double next = 0.12345678901;

	xs_machine_init(m);
	snprintf(m->name, sizeof(m->name), "made-up \"1\"");
	snprintf(m->source, sizeof(m->source), "calibrated");
	m->copy_engines = 2;
	m->implicit_sync = 0;
	m->clock_khz = 1980000;
#define FILL(name, unit, what)                                                 \
	m->name = (struct xs_param){next, next * 0.9, next * 1.1};             \
	next *= 1.5;
	XS_MACHINE_PARAMS(FILL)
#undef FILL
	m->sync_ns = (struct xs_param){NAN, NAN, NAN};
	m->pageable_h2d = (struct xs_curve){
	    2, {4096, 1048576}, {1500, 70000.5}, {0, 65000}, {0, 90000}};
	m->self_check.streams = (struct xs_check){-0.01, -0.1, 0.25, 36};
	m->passes = 3;
}

static void assert_same_param(struct xs_param a, struct xs_param b)
{
	if (isnan(a.value)) {
		assert_true(isnan(b.value));
		return;
	}
	assert_close_to(a.value, b.value, 1e-14, "value", __FILE__, __LINE__);
	assert_close_to(a.low, b.low, 1e-14, "low", __FILE__, __LINE__);
	assert_close_to(a.high, b.high, 1e-14, "high", __FILE__, __LINE__);
}

TEST(test_round_trip)
{
	struct xs_machine before, after;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fill(&before);
	assert_int_equal(xs_machine_write(&before, out), 0);
	fclose(out);
	assert_int_equal(load_text(text, &after), 0);
	/* whole bytes and ns are integers */
	assert_has(text, "\"clock_khz\": 1980000,");
	assert_has(text, "\"ns\": 70000.5");
	assert_has_not(text, ".0,");
	free(text);
#define COMPARE(name, unit, what) assert_same_param(before.name, after.name);
	XS_MACHINE_PARAMS(COMPARE)
#undef COMPARE
	assert_string_equal(after.name, before.name);
	assert_string_equal(after.source, "calibrated");
	assert_int_equal(after.copy_engines, 2);
	assert_int_equal(after.implicit_sync, 0);
	assert_int_equal(after.sm_count, 0);
	assert_near(after.clock_khz, 1980000);
	assert_int_equal(after.pageable_h2d.count, 2);
	assert_near(after.pageable_h2d.ns[1], 70000.5);
	assert_near(after.pageable_h2d.low_ns[1], 65000);
	assert_near(after.pageable_h2d.high_ns[1], 90000);
	assert_true(after.pageable_h2d.high_ns[0] == 0); /* not given */
	assert_int_equal(after.pageable_d2h.count, 0);
	assert_near(after.self_check.streams.value, -0.01);
	assert_near(after.self_check.streams.low, -0.1);
	assert_near(after.self_check.streams.high, 0.25);
	assert_int_equal(after.self_check.streams.cases, 36);
	assert_int_equal(after.self_check.mapped.cases, 0);
	assert_int_equal(after.passes, 3);
}

TEST(test_missing_is_unknown_and_more_is_fine)
{
	struct xs_machine m;

	assert_int_equal(
	    load_text("{\"schema\": 1, \"later\": {\"x\": []}, \"parameters\": "
		      "{\"G_h2d\": 0.02, \"new\": 1, \"G_d2h\": {\"value\": "
		      "null}}, \"pcie_gen\": null}",
		      &m),
	    0);
	assert_true(m.G_h2d.value == 0.02); /* a bare number */
	assert_true(m.G_h2d.high == 0.02);
	assert_true(isnan(m.G_d2h.value));
	assert_true(isnan(m.sync_ns.value));
	assert_int_equal(m.implicit_sync, -1);
	assert_int_equal(m.pcie_gen, 0);
	assert_int_equal(m.self_check.explicit.cases, 0);
	assert_int_equal(m.passes, 0);
	assert_int_equal(m.name[0], '/'); /* that of the file */
}

TEST(test_checks_are_passed_over_by_name)
{
	struct xs_machine m;

	assert_int_equal(
	    load_text(
		"{\"schema\": 1, \"self_check\": {\"later\": 1, \"mapped\": "
		"null, \"hybrid\": {\"value\": 0, \"low\": 0, \"high\": "
		"0.5, \"cases\": 1}}}",
		&m),
	    0);
	assert_int_equal(m.self_check.mapped.cases, 0);
	assert_int_equal(m.self_check.hybrid.cases, 1);
}

static void assert_refused(const char *text, const char *because)
{
	struct xs_machine m;

	assert_int_equal(load_text(text, &m), -EINVAL);
	if (!strstr(error, because))
		fail_msg("\"%s\" does not say \"%s\"", error, because);
	assert_has(error, "; "); /* advice on what to do */
}

TEST(test_refusals)
{
	assert_refused("{\"schema\": 1,", "line 1");
	assert_refused("[1]", "no machine profile");
	assert_refused("{\"schema\": 1, \"parameters\": []}", "parameters");
	assert_refused("{\"schema\":1,\"parameters\":{\"flag_ns\":{\"value\":1,"
		       "\"low\":1,\"high\":1e18}}}",
		       "from 0 to 1e17");
	assert_refused("{\"schema\":1,\"parameters\":{\"flag_ns\":1e18}}",
		       "from 0 to 1e17");
	assert_refused("{}", "no machine profile");
	assert_refused("{\"schema\": 2}", "newer");
	assert_refused("{\"schema\": 1, \"name\": 7}", "not text");
	assert_refused("{\"schema\": 1, \"sm_count\": -1}", "\"sm_count\"");
	assert_refused("{\"schema\": 1, \"implicit_sync\": 1}", "true or");
	assert_refused("{\"schema\":1,\"parameters\":{\"G_h2d\":-1}}", "G_h2d");
	assert_refused("{\"schema\":1,\"parameters\":{\"sync_ns\":\"1\"}}",
		       "sync_ns");
	assert_refused("{\"schema\":1,\"parameters\":{\"G_h2d\":{\"value\":2,"
		       "\"low\":3,\"high\":4}}}",
		       "outside");
	assert_refused("{\"schema\":1,\"pageable_h2d\":[{\"bytes\":2,\"ns\":1},"
		       "{\"bytes\":1,\"ns\":1}]}",
		       "rising");
	assert_refused("{\"schema\":1,\"pageable_d2h\":[{\"bytes\":2}]}",
		       "without");
	assert_refused("{\"schema\":1,\"pageable_d2h\":[{\"bytes\":2,\"ns\":5,"
		       "\"low_ns\":6,\"high_ns\":7}]}",
		       "outside its low_ns");
	assert_refused("{\"schema\":1,\"pageable_d2h\":[{\"bytes\":2,\"ns\":5,"
		       "\"low_ns\":4}]}",
		       "outside its low_ns");
	assert_refused("{\"schema\":1,\"self_check\":3}", "families");
	assert_refused("{\"schema\":1,\"self_check\":{\"streams\":{\"value\":0,"
		       "\"low\":0.1,\"high\":0.2,\"cases\":3}}}",
		       "between");
	assert_refused("{\"schema\":1,\"self_check\":{\"streams\":{\"value\":0,"
		       "\"low\":0,\"high\":0}}}",
		       "cases");
}

TEST(test_names)
{
	struct xs_machine m;

	unsetenv("XFERSPY_MACHINES"); /* then by this program's place */
	assert_int_equal(xs_machine_load("k20m", &m, error, sizeof(error)), 0);
	assert_string_equal(m.name, "k20m");
	assert_int_equal(xs_machine_load("no-such", &m, error, sizeof(error)),
			 -ENOENT);
	assert_has(error, "no-such");
	assert_has(error, "calibrate");
	assert_int_equal(
	    xs_machine_load("./no-such.json", &m, error, sizeof(error)),
	    -ENOENT);
	assert_has(error, "No such file");
	setenv("XFERSPY_MACHINES", "/nowhere", 1); /* continues with the next
						    * directory */
	assert_int_equal(xs_machine_load("k20m", &m, error, sizeof(error)), 0);
}

TEST(test_curve)
{
	const struct xs_curve empty = {0};
	const struct xs_curve large = {
	    .bytes = {65536}, .ns = {300}, .count = 1};
	const struct xs_curve curve = {
	    .count = 3, .bytes = {10, 20, 40}, .ns = {100, 200, 300}};

	assert_true(isnan(xs_curve_ns(&empty, 10)));
	assert_near(xs_curve_ns(&curve, 5), 100); /* latency */
	assert_near(xs_curve_ns(&curve, 10), 100);
	assert_near(xs_curve_ns(&curve, 15), 150);
	assert_near(xs_curve_ns(&curve, 30), 250);
	assert_near(xs_curve_ns(&curve, 40), 300);
	assert_true(isnan(xs_curve_ns(&curve, 80)));   /* no rate */
	assert_near(xs_curve_ns(&large, 131072), 600); /* the last rate */
}

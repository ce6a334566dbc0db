# SPDX-License-Identifier: MIT
"""Which times examples/validate/accuracy.py and patterns.py compare.

  test_accuracy.py VALIDATE
"""
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import accuracy  # noqa: E402
import patterns  # noqa: E402


def streams(**changes):
    return {"strategy": "streams", "model": "replay", "applies": True,
            "n_streams": 4, "order": "depth", "round_ns": 100, "low_ns": 90,
            "high_ns": 170, "bound": None, "otherwise_ns": None, **changes}


def row_of(workload):
    return accuracy.Row(
        workload=workload, size=1, baseline=f"{workload}-1-pinned",
        strategy="streams", n_streams=4, order="depth", measured_ns=160,
        spread_ns=1)


def said(workload, estimate):
    found = accuracy.find([estimate], row_of(workload),
                          lambda model: model == estimate["model"])
    return found and found["round_ns"]


class Compared(unittest.TestCase):
    def test_a_bound_whose_condition_holds_is_what_it_says(self):
        self.assertEqual(
            said("chain", streams(bound="pieces", otherwise_ns=150)), 100)

    def test_else_it_is_what_it_is_without(self):
        self.assertEqual(
            said("chain-all", streams(bound="pieces", otherwise_ns=150)), 150)

    def test_without_a_condition_there_is_one_time(self):
        self.assertEqual(said("chain-all", streams()), 100)

    def test_an_equation_that_does_not_hold_says_nothing(self):
        self.assertIsNone(said("chain-all", streams(
            model="vanwerkhoven2014-eq5", order=None, bound="pieces")))

    def test_other_strategies_are_not_concerned(self):
        estimate = streams(strategy="double-buffer", bound="ready",
                           n_streams=None, order=None)
        self.assertIs(accuracy.said_of("chain-all", estimate), estimate)


def line(turn, strategy, ns, n_streams=0, order=None):
    return {"turn": turn, "strategy": strategy, "n_streams": n_streams,
            "order": order, "measured_ns": ns}


def estimate(strategy, ns, **changes):
    return streams(strategy=strategy, round_ns=ns, low_ns=ns - 5,
                   high_ns=ns + 5, **{"n_streams": None, "order": None,
                                      **changes})


class Patterns(unittest.TestCase):
    """A round of 1000 ns: two phases of 400 and 4 x 100 ns, and 200 outside."""

    def setUp(self):
        self.case = patterns.Case("case", [
            line(0, "pageable", 1000),
            *(line(turn, "pageable", 900 + turn) for turn in (1, 2, 3)),
            *(line(turn, "batch", 500 + turn) for turn in (1, 2, 3)),
            *(line(turn, "streams", 100 * turn, 4, "depth")
              for turn in (1, 2, 3)),
            line(1, "streams", 700, 16, "depth"),
            line(1, "reuse", 800)])
        self.report = {
            "plan": [{"strategy": "streams", "n_streams": 14,
                      "order": "depth"}],
            "phases": [
                {"rounds": 11, "median_ns": 400, "estimates": [
                    estimate("as-is", 400), estimate("streams", 250,
                                                     n_streams=4)]},
                {"rounds": 44, "median_ns": 100, "estimates": [
                    estimate("as-is", 100), estimate("batch", 50)]},
                {"rounds": 1, "median_ns": 5000, "estimates": [
                    estimate("as-is", 5000), estimate("batch", 10)]}]}
        self.rows, self.ranks = patterns.evaluate([self.case],
                                                  lambda case: self.report)

    def row(self, strategy):
        return next(r for r in self.rows if r.strategy == strategy)

    def test_the_median_of_the_turns_counts(self):
        self.assertEqual(self.case.best(), {
            "as-is": 902, "batch": 502, "streams": 200, "reuse": 800})

    def test_a_phase_counts_as_often_as_it_is_in_a_round(self):
        row = self.row("batch")
        self.assertEqual((row.predicted_ns, row.low_ns, row.high_ns),
                         (800, 780, 820))

    def test_the_estimate_is_that_of_the_number_of_streams(self):
        self.assertEqual(self.row("streams").predicted_ns, 850)
        self.assertEqual([r.predicted_ns for r in self.rows
                          if r.n_streams == 16], [None])

    def test_no_estimate_is_no_answer(self):
        self.assertIsNone(self.row("reuse").predicted_ns)
        self.assertEqual(patterns.sum_up(self.rows)["reuse"],
                         {"measured": 1, "predicted": 0})

    def test_the_advice_is_held_against_the_best(self):
        rank = self.ranks[0]
        self.assertEqual((rank["fastest"], rank["named"], rank["advised"]),
                         ("streams", "batch", "streams"))
        # at 16 streams, which are the nearest to 14
        self.assertAlmostEqual(rank["share"], 100 * 200 / 700)

    def test_advice_that_was_not_measured_has_no_share(self):
        self.report["plan"][0]["strategy"] = "hybrid"
        rank = patterns.evaluate([self.case], lambda case: self.report)[1][0]
        self.assertIsNone(rank["share"])

    def test_unlike_variants_are_not_compared(self):
        (case,) = [case for case in patterns.load(
            patterns.RULES.parent / "h100-b/first.json")
            if case.name.startswith("small_waits")]
        self.assertNotIn("double-buffer", case.best())
        self.assertIn("batch", case.best())

    def test_a_half_that_was_not_measured_has_no_cases(self):
        self.assertEqual(patterns.load(patterns.RULES.parent / "none.json"), [])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""The published closed forms beside replay: their errors, and ATGPU's shares."""
import statistics

# Published closed forms of each strategy, the strongest baseline first: the one
# that replay is compared with in the tables of families and cases.
MODELS = {
    "pinned": ("vanwerkhoven2014-explicit",),
    "streams": ("vanwerkhoven2014-eq5-both-Gg", "vanwerkhoven2014-eq5-both-G",
                "vanwerkhoven2014-eq5", "cocopelia2021-3way"),
    "mapped": ("vanwerkhoven2014-eq6-counted-mapped",
               "vanwerkhoven2014-eq6-counted", "vanwerkhoven2014-eq6"),
    "hybrid": ("vanwerkhoven2014-eq5-mean-G", "vanwerkhoven2014-eq5"),
}
# The algorithms that Carroll and Wong 2017 evaluate ATGPU on.
ATGPU = ("vecadd", "reduction", "matmul-naive", "matmul-tiled")


def mean_error(rows, model):
    return statistics.mean(abs(row.error(model)) for row in rows)


def errors(rows):
    """Returns the errors of each closed form, and the mean error of replay in
    the same rows."""
    found = []
    for strategy, models in MODELS.items():
        for model in models:
            mine = [row for row in rows if row.strategy == strategy
                    and model in row.published and row.replay]
            if mine:
                found.append({
                    "strategy": strategy, "model": model, "rows": len(mine),
                    "mean": mean_error(mine, model),
                    "largest": max(abs(row.error(model)) for row in mine),
                    "replay": mean_error(mine, "replay")})
    return found


def atgpu_shares(rows, predictor):
    """Returns the share of transfers by ATGPU and as traced, in per cent, for
    pinned memory."""
    found = []
    for baseline in sorted({row.baseline for row in rows
                            if row.workload in ATGPU
                            and row.baseline.endswith("-pinned")}):
        atgpu = predictor.phase(baseline, 0)["atgpu"]
        if atgpu["transfer_share"] is not None:
            found.append({"baseline": baseline,
                          "share": 100 * atgpu["transfer_share"],
                          "observed": 100 * atgpu["transfer_share_observed"]})
    return found

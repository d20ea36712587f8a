#!/usr/bin/env python3
"""Writes the files of costs of the three clusters in "From promise to practice"
(Wang, Zhang, Wu, Johansson), as far as they can be guessed: docs/results.md
says what is known, what was assumed, and what `grapevine plan predict` makes of
it. Run it in this folder."""

import json
import statistics

PARAMETERS = 65_000_000  # transformer base, in float32
BUCKET = 25_000_000      # what DistributedDataParallel takes
TOKENS = 25_000          # of all workers in a step
SPREAD = 0.08            # of compute times: sentences differ in length
STEPS = 20

# Seconds of compute in a step: fixed + token * tokens of a worker. Links:
# latency, bytes a second of a worker, of a node's workers together.
CLUSTERS = {
    "t4": dict(sizes=(16, 32, 64), per_node=8, fixed=0.050, token=162e-6,
               update=6e-3, inside=(20e-6, 4.5e9, None),
               between=(20e-6, 12e9, 12e9)),
    "a100": dict(sizes=(8, 16, 32), per_node=4, fixed=0.036, token=7.2e-6,
                 update=1.2e-3, inside=(10e-6, 200e9, None),
                 between=(20e-6, 12e9, 12e9)),
    "a40": dict(sizes=(8, 16, 32), per_node=4, fixed=0.020, token=30e-6,
                update=2.6e-3, inside=(20e-6, 20e9, None),
                between=(50e-6, 2.99e9, 2.99e9)),
}


def buckets():
    left = 4 * PARAMETERS
    while left > 0:
        yield min(left, BUCKET)
        left -= BUCKET


def level(values):
    latency, bandwidth, shared = values
    return {"latency": latency, "bandwidth": bandwidth, "shared": shared}


def costs(n, cluster):
    sizes = list(buckets())
    total = sum(sizes)
    mean = cluster["fixed"] + cluster["token"] * TOKENS / n
    normal = statistics.NormalDist(mean, SPREAD * mean)
    forward, backward = [], []
    for step in range(STEPS):
        seconds = normal.inv_cdf((step + 0.5) / STEPS)
        forward.append(round(seconds / 3, 6))
        backward.append(
            [round(seconds * 2 / 3 * size / total, 6) for size in sizes])
    return {
        "format": "grapevine-costs",
        "format_version": 1,
        "nodes": n // cluster["per_node"],
        "workers_per_node": cluster["per_node"],
        "inside": level(cluster["inside"]),
        "between": level(cluster["between"]),
        "node_rates": [],
        "link_rates": [],
        "compute": {
            "model": "transformer-base",
            "data": "wmt14",
            "batch": TOKENS // n,
            "bucket_bytes": sizes,
            "update_seconds_per_byte": cluster["update"] / total,
            "workers": [{"forward": forward, "backward": backward}],
        },
    }


for name, cluster in CLUSTERS.items():
    for n in cluster["sizes"]:
        document = costs(n, cluster)
        lines = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(value)}"
            for key, value in document.items())
        with open(f"paper-{name}-{n}.json", "w") as file:
            file.write("{\n" + lines + "\n}\n")

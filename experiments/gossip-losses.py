#!/usr/bin/env python3
"""Does A2CiD2 at rate 1 do what AD-PSGD needs rate 2 for? Of the finished runs
below the folders given:

    experiments/gossip-losses.py FOLDER…

For every n, algorithm and rate, means over the seeds: the loss on the test set
of the averaged model and of the replicas (mean), the training loss, the
consensus distance over the run (mean of its probes) and at its end. Then, seed
by seed, the two against each other."""
import argparse
import collections
import json
import pathlib
import statistics
import tomllib

COLUMNS = ["averaged model: loss", "replicas: loss", "training loss",
           "distance over the run", "at its end"]


def records(run, kind):
    for path in sorted((run / "records").glob("*.jsonl")):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if f'"type":"{kind}"' in line:
                    yield json.loads(line)


def read(run):
    """What it is and its figures, or nothing where it is not finished."""
    about = json.loads((run / "run.json").read_text())
    if about.get("outcome") != "completed":
        return None
    spec = tomllib.loads((run / "spec.toml").read_text())
    last = list(records(run, "evaluation"))[-1]
    result = about["result"]
    probes = [
        probe["consensus_distance"] for probe in records(run, "dispersion")]
    name = "a2cid2" if spec["continuous-momentum"] else "ad-psgd"
    figures = [
        last["averaged_model_loss"], statistics.mean(last["test_loss"]),
        result["train_loss"], statistics.mean(probes),
        result["consensus_distance"]]
    return (spec["n"], name, spec["rate"]), spec["seed"], figures


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    runs = collections.defaultdict(dict)
    for folder in parser.parse_args().folder:
        for path in sorted(folder.glob("**/run.json")):
            run = read(path.parent)
            if run is not None:
                runs[run[0]][run[1]] = run[2]
    print("| n | | rate | seeds |", " | ".join(COLUMNS), "|")
    print("|---" * (4 + len(COLUMNS)) + "|")
    for (n, name, rate), seeds in sorted(runs.items()):
        means = [statistics.mean(column) for column in zip(*seeds.values())]
        cells = [f"{mean:.4g}" for mean in means]
        print(f"| {n} | `{name}` | {rate:g} | {len(seeds)} |",
              " | ".join(cells), "|")
    print("\na2cid2 at rate 1 / ad-psgd at rate 2, seed by seed:")
    for n in sorted({key[0] for key in runs}):
        ours, theirs = runs[n, "a2cid2", 1], runs[n, "ad-psgd", 2]
        for k, column in enumerate(COLUMNS):
            ratios = [ours[s][k] / theirs[s][k] for s in ours if s in theirs]
            if ratios:
                print(f"n = {n}, {column}:",
                      ", ".join(f"{ratio:.4g}" for ratio in ratios))


if __name__ == "__main__":
    main()

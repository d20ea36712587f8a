"""Rows of build/perf/*.json, as perf/bench.h writes them from C++: ratios of
measurements that took turns in one run; the median of the turns counts."""
import json
import pathlib
import statistics
import sys


def spread(values):
    """Half the distance between the quartiles, relative to the median."""
    values = sorted(values)
    middle = statistics.median(values)
    low = values[len(values) // 4]
    high = values[len(values) - 1 - len(values) // 4]
    return 0 if middle == 0 else (high - low) / 2 / middle


def meets(ratio, goal):
    bound = float(goal[2:])
    return ratio <= bound if goal.startswith("<=") else ratio >= bound


def row(name, ours, rival, goal, unit="ms"):
    """ours, rival: one number a turn. Without a goal the row only reports."""
    ratios = [a / b for a, b in zip(ours, rival)]
    ratio = statistics.median(ratios)
    return {
        "name": name,
        "ours": statistics.median(ours),
        "rival": statistics.median(rival),
        "unit": unit,
        "ratio": ratio,
        "spread": spread(ratios),
        "goal": goal,
        "met": meets(ratio, goal) if goal else None,
    }


def show(entry):
    met = {True: "met", False: "NOT MET", None: ""}[entry["met"]]
    print(
        f"{entry['name']:<66} {entry['ours']:>9.2f} {entry['rival']:>9.2f} "
        f"{entry['unit']:<3} ratio {entry['ratio']:.3f} "
        f"+- {entry['spread'] * 100:.1f} %  goal {entry['goal'] or '-'} {met}",
        file=sys.stderr,
    )


def write(file, rows):
    with open(file, "w", encoding="utf-8") as out:
        json.dump(rows, out, indent=2)
        out.write("\n")


def write_jobs(file, results):
    """What each job said, of which the rows in `file` are made: not rows, so
    in a folder of their own beside them."""
    file = pathlib.Path(file)
    folder = file.parent / "jobs"
    folder.mkdir(exist_ok=True)
    write(folder / file.name, results)

#!/usr/bin/python3
"""How far apart asynchronous gossip lets replicas drift, by curvature.

    experiments/gossip-stiffness.py [--workers 16 64] [--units 600]

A model without a model: each worker of a ring minimises h/2 x^2 from gradients
h x + noise, of its own snapshot of a unit ago, with SGD's momentum, and
averages with neighbours at random moments, by AD-PSGD or A2CiD2
(docs/gossip.md). A curvature is given as lr * h. Printed is the mean squared
distance of the points at which gradients are taken from the mean of the
replicas, in units of the variance that one step's noise adds.

Flat directions, which are most of a network's, make up the consensus distance;
stiff ones, where the gradient itself pulls replicas together, the loss.
Wants numpy (Debian's python3-numpy)."""
import argparse

import numpy

COPIES = 64  # independent coordinates of one curvature
# Name, averagings a gradient, with the continuous momentum or not.
CONTENDERS = [("AD-PSGD, 1", 1, False), ("AD-PSGD, 2", 2, False),
              ("A2CiD2, 1", 1, True)]


def constants(n, rate, accelerated):
    """eta, alpha and alpha of the companion, on a ring."""
    if not accelerated:
        return 0, 0.5, 0.5
    chi1 = 1 / (rate * (1 - numpy.cos(2 * numpy.pi / n)))
    chi2 = (n - 1) / n / rate
    return 1 / (2 * numpy.sqrt(chi1 * chi2)), 0.5, 0.5 * numpy.sqrt(chi1 / chi2)


def events(chance, n, rate, units):
    """(moment, whether it is a gradient, worker or lower end of the edge)."""
    phases = chance.random(n)
    gradients = [(phase + unit, True, worker)
                 for worker, phase in enumerate(phases) for unit in range(units)]
    count = chance.poisson(n * rate / 2 * units)
    averagings = zip(chance.random(count) * units, [False] * count,
                     chance.integers(0, n, count))
    return sorted([*gradients, *averagings])


class Ring:
    def __init__(self, n, rate, accelerated):
        self.eta, self.alpha, self.alpha_y = constants(n, rate, accelerated)
        self.x, self.y, self.momentum, self.snapshot = numpy.zeros((4, n, COPIES))
        self.flowed = numpy.zeros(n)

    def flow(self, worker, now):
        tau = now - self.flowed[worker]
        share = (1 - numpy.exp(-2 * self.eta * tau)) / 2
        move = share * (self.y[worker] - self.x[worker])
        self.x[worker] += move
        self.y[worker] -= move
        self.flowed[worker] = now

    def step(self, worker, now, gradient, beta):
        self.flow(worker, now)
        self.momentum[worker] = beta * self.momentum[worker] + gradient
        self.x[worker] -= self.momentum[worker]
        self.y[worker] -= self.momentum[worker]
        self.snapshot[worker] = self.x[worker]

    def average(self, a, b, now):
        self.flow(a, now)
        self.flow(b, now)
        apart = self.x[a] - self.x[b]
        for worker, sign in ((a, 1), (b, -1)):
            self.x[worker] -= sign * self.alpha * apart
            self.y[worker] -= sign * self.alpha_y * apart

    def spread(self):
        return ((self.snapshot - self.x.mean(0)) ** 2).mean()


def mean_spread(n, rate, accelerated, curvature, beta, units):
    """Behind the first third, which is the way there."""
    chance = numpy.random.default_rng(1)
    ring = Ring(n, rate, accelerated)
    seen = []
    look = units / 3
    for now, is_gradient, worker in events(chance, n, rate, units):
        if is_gradient:
            noise = chance.standard_normal(COPIES)
            ring.step(worker, now, curvature * ring.snapshot[worker] + noise, beta)
        else:
            ring.average(worker, (worker + 1) % n, now)
        if now > look:
            seen.append(ring.spread())
            look += 5
    return numpy.mean(seen)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--units", type=int, default=600, help="gradients a worker")
    args = parser.parse_args()
    names = " | ".join(name for name, _, _ in CONTENDERS)
    print(f"| ring of | momentum | lr * h | {names} | A2CiD2, 1 : AD-PSGD, 2 |")
    print("|" + "---|" * (4 + len(CONTENDERS)))
    for n in args.workers:
        for beta, curvatures in ((0.9, (0.0005, 0.005, 0.02, 0.05)),
                                 (0.0, (0.005, 0.05, 0.2, 0.5))):
            for curvature in curvatures:
                spreads = [
                    mean_spread(n, rate, accelerated, curvature, beta, args.units)
                    for _, rate, accelerated in CONTENDERS]
                cells = " | ".join(f"{spread:.3g}" for spread in spreads)
                print(f"| {n} | {beta} | {curvature} | {cells} | "
                      f"{spreads[2] / spreads[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The rival: one process of a PyTorch DistributedDataParallel job over Gloo,
timed as perf/overlap_bench.cpp times ours, with the same model, batch and
options, in torchrun's environment. Rank 0 prints one line of JSON.

Sleeping, a layer's forward and backward each take a given time and hand over
ready-made results, so that DDP's hooks fire when they would have."""
import argparse
import json
import os
import statistics
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Until:
    """Sleeps until a time after its making: what is done meanwhile counts."""

    def __init__(self, ms):
        self.end = time.perf_counter() + ms / 1e3

    def sleep(self):
        left = self.end - time.perf_counter()
        if left > 0:
            time.sleep(left)


class SleepingLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, layer):
        until = Until(layer.forward_ms)
        ctx.layer = layer
        result = x.new_zeros(x.shape[0], weight.shape[0])
        until.sleep()
        return result

    @staticmethod
    def backward(ctx, _):
        layer = ctx.layer
        until = Until(layer.backward_ms)
        # As a computed gradient, each is a new tensor.
        weight, bias = (g.clone() for g in layer.gradients)
        until.sleep()
        return layer.input_gradient, weight, bias, None


class SleepingLayer(nn.Module):
    def __init__(self, width_in, width_out, batch, share, args, rank):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width_out, width_in))
        self.bias = nn.Parameter(torch.ones(width_out))
        self.gradients = [
            torch.full_like(self.weight, rank + 1.0),
            torch.full_like(self.bias, rank + 1.0),
        ]
        self.input_gradient = torch.zeros(batch, width_in)
        self.forward_ms = args.forward_ms * share
        self.backward_ms = args.backward_ms * share

    def forward(self, x):
        return SleepingLinear.apply(x, self.weight, self.bias, self)


def make_model(args, rank):
    pairs = list(zip(args.widths, args.widths[1:]))
    layers = []
    if args.compute == "sleep":
        total = sum(a * b for a, b in pairs)
        for a, b in pairs:
            layers.append(
                SleepingLayer(a, b, args.batch, a * b / total, args, rank)
            )
        return nn.Sequential(*layers)
    torch.manual_seed(1)
    for i, (a, b) in enumerate(pairs):
        layers.append(nn.Linear(a, b))
        if i + 1 < len(pairs):
            layers.append(nn.ReLU())
    return nn.Sequential(*layers)


class Job:
    def __init__(self, args):
        self.args = args
        self.rank = dist.get_rank()
        self.module = make_model(args, self.rank)
        self.model = DistributedDataParallel(
            self.module, bucket_cap_mb=args.bucket_mb
        )
        # The learning rate costs no time; 0 as in our own.
        make = torch.optim.Adam if args.optimizer == "adam" else torch.optim.SGD
        more = {} if args.optimizer == "adam" else {"momentum": 0.9}
        self.optimizer = make(self.module.parameters(), lr=0.0, **more)
        torch.manual_seed(self.rank + 2)
        self.inputs = torch.randn(args.batch, args.widths[0])
        self.labels = torch.randint(args.widths[-1], (args.batch,))
        if args.compute == "sleep":
            # Else the first layer's input would want no gradient, which is
            # fine, and the chain of functions would end early, which is not.
            self.inputs.requires_grad_(True)
        self.update_seconds = 0.0

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        output = self.model(self.inputs)
        if self.args.compute == "sleep":
            output.sum().backward()
        else:
            nn.functional.cross_entropy(output, self.labels).backward()
        start = time.perf_counter()
        self.optimizer.step()
        self.update_seconds += time.perf_counter() - start

    def run(self):
        args = self.args
        dist.barrier()
        for _ in range(args.warm_up):
            self.step()
        self.update_seconds = 0.0
        blocks = []
        for _ in range(args.blocks):
            start = time.perf_counter()
            for _ in range(args.block_steps):
                self.step()
            seconds = time.perf_counter() - start
            blocks.append(seconds * 1e3 / args.block_steps)
        self.verify()
        return self.summary(blocks)

    def verify(self):
        """Wrong result, no number: gradients are equal everywhere."""
        for parameter in self.module.parameters():
            mine = parameter.grad.reshape(-1)[:100]
            mean = mine.clone()
            dist.all_reduce(mean)
            mean /= dist.get_world_size()
            if not torch.allclose(mine, mean, rtol=1e-3, atol=1e-6):
                raise RuntimeError("the gradients were not averaged")

    def summary(self, mine):
        rows = torch.tensor(mine, dtype=torch.float64)
        dist.all_reduce(rows)
        ms = sorted((rows / dist.get_world_size()).tolist())
        steps = self.args.blocks * self.args.block_steps
        sizes = [p.numel() for p in self.module.parameters()]
        return {
            "median_ms": statistics.median(ms),
            "mean_ms": statistics.fmean(ms),
            "q1_ms": ms[len(ms) // 4],
            "q3_ms": ms[len(ms) - 1 - len(ms) // 4],
            "blocks_ms": ms,
            "update_ms": self.update_seconds * 1e3 / steps,
            "model_bytes": sum(sizes) * 4,
        }


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--widths", type=lambda text: [int(w) for w in text.split(",")]
    )
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--compute", choices=["real", "sleep"], default="real")
    parser.add_argument("--forward-ms", type=float, default=0)
    parser.add_argument("--backward-ms", type=float, default=0)
    parser.add_argument("--optimizer", choices=["adam", "sgd"], default="adam")
    parser.add_argument("--bucket-mb", type=float, default=25)
    parser.add_argument("--warm-up", type=int, default=8)
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--block-steps", type=int, default=4)
    return parser.parse_args()


def main():
    args = parse()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    result = Job(args).run()
    if dist.get_rank() == 0:
        print(json.dumps(result), flush=True)
    dist.barrier()
    # Gloo's threads and Python's end do not always get along.
    os._exit(0)


if __name__ == "__main__":
    main()

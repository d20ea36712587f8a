"""The zoo's text models as one writes them in PyTorch, and the time of a
training step (forward, backward; no optimizer) of each.

    /usr/bin/python3 perf/pytorch_text_models.py lstm --batch 20 --length 35

prints {"name": …, "parameters": …, "seconds": median}. --length is the tokens
of a row; for transformers, of each side of a pair.
"""
import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F


class Lstm(nn.Module):
    """PyTorch's word_language_model."""

    def __init__(self, words, width=200, layers=2, tied=False):
        super().__init__()
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, layers)
        self.decoder = nn.Linear(width, words)
        if tied:
            self.decoder.weight = self.encoder.weight
        self.state = None

    def forward(self, tokens):
        out, state = self.rnn(self.encoder(tokens.t()), self.state)
        self.state = tuple(part.detach() for part in state)
        return self.decoder(out.transpose(0, 1).flatten(0, 1))


class Transformer(nn.Module):
    """torch.nn.Transformer with one embedding and sinusoidal positions."""

    def __init__(self, words, width, heads, layers, inner):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        encoder = nn.TransformerEncoderLayer(width, heads, inner, 0.0,
                                             batch_first=True)
        decoder = nn.TransformerDecoderLayer(width, heads, inner, 0.0,
                                             batch_first=True)
        self.encoder = nn.TransformerEncoder(encoder, layers)
        self.decoder = nn.TransformerDecoder(decoder, layers)
        at = torch.arange(512).unsqueeze(1)
        rates = torch.exp(torch.arange(0, width, 2)
                          * (-math.log(10000.0) / width))
        table = torch.zeros(512, width)
        table[:, 0::2] = torch.sin(at * rates)
        table[:, 1::2] = torch.cos(at * rates)
        self.register_buffer("positions", table)
        self.scale = math.sqrt(width)

    def embed(self, tokens):
        return (self.embedding(tokens) * self.scale
                + self.positions[:tokens.size(1)])

    def forward(self, pair):
        source, target = pair
        padding = source.eq(0)
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        memory = self.encoder(self.embed(source), src_key_padding_mask=padding)
        out = self.decoder(self.embed(target), memory, tgt_mask=mask,
                           memory_key_padding_mask=padding)
        return F.linear(out.flatten(0, 1), self.embedding.weight)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width),
                                 nn.GELU(approximate="tanh"),
                                 nn.Linear(4 * width, width))

    def forward(self, x, mask):
        batch, length, width = x.shape
        parts = self.c_attn(self.ln_1(x)).split(width, dim=2)
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in parts)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        seen = scores.masked_fill(mask, float("-inf")).softmax(-1) @ v
        x = x + self.c_proj(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self, words, context, width, heads, layers):
        super().__init__()
        self.wte = nn.Embedding(words, width)
        self.wpe = nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.wte(tokens) + self.wpe(torch.arange(length))
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        for block in self.h:
            x = block(x, mask)
        return F.linear(self.ln_f(x).flatten(0, 1), self.wte.weight)


# name: (tokens, make(tokens, length))
MODELS = {
    "gpt-nano": (65, lambda n, c: Gpt(n, c, 32, 2, 2)),
    "gpt-mini": (65, lambda n, c: Gpt(n, c, 128, 4, 2)),
    "gpt2-small": (50257, lambda n, c: Gpt(n, c, 768, 12, 12)),
    "lstm": (33278, lambda n, c: Lstm(n)),
    "lstm-tied": (33278, lambda n, c: Lstm(n, tied=True)),
    "lstm-large": (33278, lambda n, c: Lstm(n, width=650)),
    "transformer-tiny": (8195, lambda n, c: Transformer(n, 256, 4, 3, 1024)),
    "transformer-base": (37000, lambda n, c: Transformer(n, 512, 8, 6, 2048)),
    "transformer-big": (37000, lambda n, c: Transformer(n, 1024, 16, 6, 4096)),
}


def time_step(name, batch, length, steps, warm_up):
    """Median seconds of a step, after some that do not count."""
    words, make = MODELS[name]
    model = make(words, length)
    shape = (batch, length)
    tokens = torch.randint(3, words, shape)
    is_pair = name.startswith("transformer")
    samples = (tokens, torch.randint(3, words, shape)) if is_pair else tokens
    labels = torch.randint(3, words, shape).flatten()
    times = []
    for _ in range(warm_up + steps):
        model.zero_grad(set_to_none=False)
        begin = time.perf_counter()
        F.cross_entropy(model(samples), labels).backward()
        times.append(time.perf_counter() - begin)
    parameters = sum(p.numel() for p in model.parameters())
    return parameters, statistics.median(times[warm_up:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=MODELS)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    parameters, seconds = time_step(arguments.name, arguments.batch,
                                    arguments.length, arguments.steps,
                                    arguments.warm_up)
    print(json.dumps({"name": arguments.name, "parameters": parameters,
                      "seconds": seconds}))


if __name__ == "__main__":
    main()

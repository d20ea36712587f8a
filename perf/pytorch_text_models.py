"""The zoo's text models as one writes them in PyTorch, with the same numbers of
parameters: a part of perf/pytorch_models.py."""
import math

import torch
from torch import nn
from torch.nn import functional


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
        return functional.linear(out.flatten(0, 1), self.embedding.weight)


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
        return functional.linear(self.ln_f(x).flatten(0, 1), self.wte.weight)


class TextTask:
    """A label for every token."""

    def __init__(self, make, length, words):
        self.make = lambda: make(words)
        self.length = length
        self.words = words

    def batch(self, samples):
        tokens = torch.randint(self.words, (samples, self.length))
        return tokens, torch.randint(self.words, (samples * self.length,))


class PairTask(TextTask):
    """Sentences of `length` tokens, and bos or eos, on both sides."""

    def batch(self, samples):
        shape = (samples, self.length + 1)
        source = torch.randint(3, self.words, shape)
        target = torch.randint(3, self.words, shape)
        labels = torch.randint(3, self.words, (samples * shape[1],))
        return (source, target), labels


SHAKESPEARE = (64, 65)
GPT2 = (1024, 50257)
WIKITEXT = (35, 33278)
TASKS = {
    "gpt-nano": TextTask(lambda n: Gpt(n, 64, 32, 2, 2), *SHAKESPEARE),
    "gpt-mini": TextTask(lambda n: Gpt(n, 64, 128, 4, 2), *SHAKESPEARE),
    "gpt2-small": TextTask(lambda n: Gpt(n, 1024, 768, 12, 12), *GPT2),
    "lstm": TextTask(Lstm, *WIKITEXT),
    "lstm-tied": TextTask(lambda n: Lstm(n, tied=True), *WIKITEXT),
    "lstm-large": TextTask(lambda n: Lstm(n, width=650), *WIKITEXT),
    "transformer-tiny": PairTask(
        lambda n: Transformer(n, 256, 4, 3, 1024), 100, 8195
    ),
    "transformer-base": PairTask(
        lambda n: Transformer(n, 512, 8, 6, 2048), 100, 37000
    ),
    "transformer-big": PairTask(
        lambda n: Transformer(n, 1024, 16, 6, 4096), 100, 37000
    ),
}


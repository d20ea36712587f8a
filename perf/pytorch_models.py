#!/usr/bin/env python3
"""The zoo's models as one writes them in PyTorch, with the same parameters
under the same names, as rivals of perf/model_steps:

    perf/pytorch_models.py NAME BATCH

writes the number of parameters, then answers every line of its input with the
processor time, in ms, of one training step (forward, loss, backward, SGD with
momentum and decay) on one thread. A new model is a class and a line of TASKS.
"""
import sys
import time

import torch
from torch import nn
from torch.nn import functional

import pytorch_text_models


def conv3x3(inputs, outputs, stride=1):
    return nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)


def conv1x1(inputs, outputs, stride=1):
    return nn.Conv2d(inputs, outputs, 1, stride, bias=False)


class BasicBlock(nn.Module):
    """projection: a 1x1 convolution where the shape changes, else option A."""

    def __init__(self, inputs, outputs, stride, projection):
        super().__init__()
        self.conv1 = conv3x3(inputs, outputs, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = conv3x3(outputs, outputs)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.stride = stride
        self.added = outputs - inputs
        self.downsample = None
        if projection and (stride != 1 or self.added != 0):
            self.downsample = nn.Sequential(
                conv1x1(inputs, outputs, stride), nn.BatchNorm2d(outputs)
            )

    def shortcut(self, x):
        if self.downsample is not None:
            return self.downsample(x)
        if self.stride == 1 and self.added == 0:
            return x
        kept = x[:, :, :: self.stride, :: self.stride]
        return functional.pad(kept, (0, 0, 0, 0, 0, self.added))

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += self.shortcut(x)
        return functional.relu(y, inplace=True)


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.conv1 = conv1x1(inputs, width)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = conv3x3(width, width, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = conv1x1(width, outputs)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                conv1x1(inputs, outputs, stride), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        y = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        y = functional.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return functional.relu(y, inplace=True)


class ResNet(nn.Module):
    def __init__(self, stem, stages, classes):
        super().__init__()
        first = stages[0][0].conv1.in_channels
        self.large = stem == "7x7"
        if self.large:
            self.conv1 = nn.Conv2d(3, first, 7, 2, padding=3, bias=False)
        else:
            self.conv1 = conv3x3(3, first)
        self.bn1 = nn.BatchNorm2d(first)
        for number, blocks in enumerate(stages):
            self.add_module(f"layer{number + 1}", nn.Sequential(*blocks))
        self.stages = len(stages)
        last = [m for m in stages[-1][-1].modules() if isinstance(m, nn.BatchNorm2d)]
        self.fc = nn.Linear(last[-1].num_features, classes)

    def forward(self, x):
        x = functional.relu(self.bn1(self.conv1(x)), inplace=True)
        if self.large:
            x = functional.max_pool2d(x, 3, 2, padding=1)
        for number in range(self.stages):
            x = getattr(self, f"layer{number + 1}")(x)
        return self.fc(functional.adaptive_avg_pool2d(x, 1).flatten(1))


def cifar_resnet(blocks):
    stages, inputs = [], 16
    for width in (16, 32, 64):
        stage = []
        for _ in range(blocks):
            stride = 2 if inputs != width else 1
            stage.append(BasicBlock(inputs, width, stride, False))
            inputs = width
        stages.append(stage)
    return ResNet("3x3", stages, 10)


def resnet18(stem, classes):
    stages, inputs = [], 64
    for width in (64, 128, 256, 512):
        stride = 2 if inputs != width else 1
        stages.append(
            [
                BasicBlock(inputs, width, stride, True),
                BasicBlock(width, width, 1, True),
            ]
        )
        inputs = width
    return ResNet(stem, stages, classes)


def resnet50(classes):
    stages, inputs = [], 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        stage = []
        for block in range(blocks):
            stride = 2 if block == 0 and width != 64 else 1
            stage.append(Bottleneck(inputs, width, stride))
            inputs = 4 * width
        stages.append(stage)
    return ResNet("7x7", stages, classes)


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth, bottleneck):
        super().__init__()
        self.bottleneck = bottleneck
        self.norm1 = nn.BatchNorm2d(inputs)
        if bottleneck:
            self.conv1 = conv1x1(inputs, 4 * growth)
            self.norm2 = nn.BatchNorm2d(4 * growth)
            self.conv2 = conv3x3(4 * growth, growth)
        else:
            self.conv1 = conv3x3(inputs, growth)

    def forward(self, features):
        x = torch.cat(features, 1)
        x = self.conv1(functional.relu(self.norm1(x), inplace=True))
        if self.bottleneck:
            x = self.conv2(functional.relu(self.norm2(x), inplace=True))
        return x


class DenseBlock(nn.Module):
    def __init__(self, layers, inputs, growth, bottleneck):
        super().__init__()
        for i in range(layers):
            self.add_module(
                f"denselayer{i + 1}",
                DenseLayer(inputs + i * growth, growth, bottleneck),
            )

    def forward(self, x):
        features = [x]
        for layer in self.children():
            features.append(layer(features))
        return torch.cat(features, 1)


class Transition(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.norm = nn.BatchNorm2d(inputs)
        self.conv = conv1x1(inputs, outputs)

    def forward(self, x):
        x = self.conv(functional.relu(self.norm(x), inplace=True))
        return functional.avg_pool2d(x, 2)


class DenseNet(nn.Module):
    """Depth 100, growth 12, for CIFAR."""

    def __init__(self, bottleneck, classes=10):
        super().__init__()
        growth, layers = 12, 16 if bottleneck else 32
        width = 2 * growth if bottleneck else 16
        self.features = nn.Sequential()
        self.features.add_module("conv0", conv3x3(3, width))
        for block in (1, 2, 3):
            self.features.add_module(
                f"denseblock{block}",
                DenseBlock(layers, width, growth, bottleneck),
            )
            width += layers * growth
            if block < 3:
                outputs = width // 2 if bottleneck else width
                self.features.add_module(
                    f"transition{block}", Transition(width, outputs)
                )
                width = outputs
        self.features.add_module("norm5", nn.BatchNorm2d(width))
        self.classifier = nn.Linear(width, classes)

    def forward(self, x):
        x = functional.relu(self.features(x), inplace=True)
        return self.classifier(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 128)
        self.fc3 = nn.Linear(128, 10)

    def forward(self, x):
        x = functional.relu(self.fc1(x.flatten(1)))
        return self.fc3(functional.relu(self.fc2(x)))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc = nn.Linear(32 * 49, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


class Task:
    """How to make a model, and what it takes: images [batch, *shape] and a
    label each."""

    def __init__(self, make, shape, classes):
        self.make = make
        self.shape = shape
        self.classes = classes

    def batch(self, samples):
        images = torch.randn(samples, *self.shape)
        return images, torch.arange(samples) % self.classes


CIFAR = (3, 32, 32)
IMAGENET = (3, 224, 224)
TASKS = {
    "mlp": Task(Mlp, (1, 28, 28), 10),
    "cnn": Task(Cnn, (1, 28, 28), 10),
    "resnet20": Task(lambda: cifar_resnet(3), CIFAR, 10),
    "resnet32": Task(lambda: cifar_resnet(5), CIFAR, 10),
    "resnet56": Task(lambda: cifar_resnet(9), CIFAR, 10),
    "resnet18": Task(lambda: resnet18("3x3", 10), CIFAR, 10),
    "resnet18-imagenet": Task(lambda: resnet18("7x7", 1000), IMAGENET, 1000),
    "resnet50": Task(lambda: resnet50(1000), IMAGENET, 1000),
    "densenet100": Task(lambda: DenseNet(True), CIFAR, 10),
    "densenet100-plain": Task(lambda: DenseNet(False), CIFAR, 10),
    **pytorch_text_models.TASKS,
}


def main(name, samples):
    torch.set_num_threads(1)
    task = TASKS[name]
    model = task.make()
    inputs, labels = task.batch(samples)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4
    )

    def step():
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    print(sum(p.numel() for p in model.parameters()), flush=True)
    for _ in sys.stdin:
        start = time.process_time()
        step()
        print((time.process_time() - start) * 1e3, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): 60,000 + 10,000 grey images of
// 28 x 28 in 10 classes, as four idx files, gzipped or not.
#pragma once

#include "data/augment.h"
#include "data/locate.h"
#include "data/source.h"

namespace grapevine::data {

const FileSet& fashion_mnist_files();
// augmentation: of the training set.
Dataset load_fashion_mnist(
    const std::string& folder,
    const Augmentation& augmentation = {});

} // namespace grapevine::data

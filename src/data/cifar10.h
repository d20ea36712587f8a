// CIFAR-10 (Krizhevsky 2009) in its binary layout: 50,000 + 10,000 colour
// images of 32 x 32 in 10 classes. Six files of 10,000 records; a record is a
// label byte and 3 x 1024 pixel bytes (red, green, blue; by rows).
#pragma once

#include "data/augment.h"
#include "data/locate.h"
#include "data/source.h"

#include <span>

namespace grapevine::data {

const FileSet& cifar10_files();
// augmentation: of the training set.
Dataset load_cifar10(
    const std::string& folder,
    const Augmentation& augmentation = {});

// One source of `records` records from each file, in order. Throws IoError
// (file, expected, found): another size, a label above 9.
std::shared_ptr<const Source> read_cifar10(
    std::span<const std::string> paths,
    int64_t records,
    const Augmentation& augmentation = {});

} // namespace grapevine::data

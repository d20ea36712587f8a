// ImageNet (ILSVRC2012) in its folder layout, and every set laid out like it:
//
//   train/<class>/*.JPEG, val/<class>/*.JPEG
//
// The label is the place of the class among the sorted names of train's
// folders; val must have the same ones. Samples are 3 x side x side.
//
//   training     random_box (data/image_box.h) of the photograph, mirrored
//                every other time, by (seed, epoch, sample)
//   evaluation   central_box
//   both         scaled to side x side (data/resample.h), normalised by
//                ImageNet's means (0.485, 0.456, 0.406) and sds (0.229, 0.224,
//                0.225)
//
// Decoding shrinks by the largest of 8, 4, 2, 1 that leaves the box at least
// side x side, which saves most of the work on large photographs. Files are
// read and decoded when they are gathered, on the thread that gathers, with a
// decoder that no other thread has meanwhile.
#pragma once

#include "data/locate.h"
#include "data/source.h"

#include <string>
#include <vector>

namespace grapevine::data {

// Folders train/ and val/.
const FileSet& imagenet_files();

// side in pixels; places: see image_index_files(). IoError: as
// open_image_folder(); classes that differ. A file that cannot be decoded is an
// IoError with its name when it is gathered.
Dataset load_imagenet(
    const std::string& folder,
    int64_t side,
    const std::vector<std::string>& places);

} // namespace grapevine::data

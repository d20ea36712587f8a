// Whether input keeps up with training: augmentation against a step of
// ResNet20, decoding against libjpeg-turbo alone, and loader threads with
// photographs against what ResNet50 takes.
#include "base/heap.h"
#include "data/file.h"
#include "data/image_folder.h"
#include "data/image_source.h"
#include "data/jpeg.h"
#include "data/loader.h"
#include "data/locate.h"
#include "data/sharder.h"
#include "perf/bench.h"
#include "perf/processor_time.h"
#include "run/worker.h"

#include <torch/torch.h>
#include <turbojpeg.h>

#include <cstdlib>
#include <numeric>

namespace grapevine::perf {
namespace {

constexpr int kTurns = 5;

data::Batch random_batch(int64_t samples, std::vector<int64_t> shape) {
  Random random(1, Purpose::kTest);
  data::Batch batch;
  int64_t elements = samples;
  for (const int64_t extent : shape)
    elements *= extent;
  batch.sample_shape = std::move(shape);
  for (int64_t i = 0; i < elements; ++i)
    batch.inputs.push_back(static_cast<float>(random.normal()));
  for (int64_t i = 0; i < samples; ++i)
    batch.labels.push_back(i % 10);
  return batch;
}

// A worker that does gradients of one batch.
struct Trainee {
  Trainee(const std::string& model, int64_t samples, std::vector<int64_t> shape)
      : batch(random_batch(samples, shape)),
        worker(make(model, shape)) {}

  static run::Worker make(
      const std::string& model,
      const std::vector<int64_t>& shape) {
    const ShortLivedBlocks blocks; // as a run makes its workers
    return run::Worker({.model = model, .sample_shape = shape, .classes = 10});
  }

  void step() { worker.compute_gradient(batch, {}, spans); }

  data::Batch batch;
  run::Worker worker;
  record::Spans spans;
};

// Processor time of both, a batch of 128 of CIFAR's shape.
Row augmentation() {
  constexpr int64_t kBatch = 128;
  constexpr int64_t kSamples = 10000;
  constexpr int kGathers = 20; // one is too short to be timed
  data::ImageSet set{
      .rows = 32,
      .columns = 32,
      .classes = 10,
      .channels = {{0.5, 0.25}, {0.5, 0.25}, {0.5, 0.25}},
      .pixels = std::vector<uint8_t>(kSamples * 3072, 99),
      .labels = std::vector<uint8_t>(kSamples, 1)};
  const data::ImageSource source(
      std::move(set),
      data::augmentation("crop-flip-cutout", 16));
  Trainee trainee("resnet20", kBatch, {3, 32, 32});
  trainee.step();
  std::vector<int64_t> indices(kBatch);
  data::Batch batch;
  Turns turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    double start = processor_seconds();
    for (int i = 0; i < kGathers; ++i) {
      const data::Draw draw{.seed = 1, .epoch = turn};
      std::iota(indices.begin(), indices.end(), i * kBatch);
      source.gather(indices, batch, &draw);
    }
    turns.ours.push_back((processor_seconds() - start) / kGathers);
    start = processor_seconds();
    trainee.step();
    turns.rival.push_back(processor_seconds() - start);
  }
  return time_row(
      "gathering 128 with crop-flip-cutout vs step of ResNet20",
      turns,
      "<=0.03");
}

// Images a second; more is better.
Row rate_row(
    const std::string& name,
    const Turns& turns,
    double our_images,
    double rival_images,
    const std::string& goal) {
  Row row = bandwidth_row(name, turns, our_images, rival_images, goal);
  row.ours *= 1e9;
  row.rival *= 1e9;
  row.unit = "images/s";
  return row;
}

using Files = std::vector<std::vector<uint8_t>>;

void decode_ours(const Files& files) {
  data::JpegDecoder decoder;
  data::RgbImage image;
  for (const auto& bytes : files) {
    decoder.size(bytes, "");
    decoder.decode(bytes, 1, "", image);
  }
}

void decode_plainly(const Files& files) {
  const tjhandle handle = tjInitDecompress();
  std::vector<uint8_t> pixels;
  for (const auto& bytes : files) {
    int columns = 0;
    int rows = 0;
    int sampling = 0;
    int colours = 0;
    tjDecompressHeader3(
        handle,
        bytes.data(),
        bytes.size(),
        &columns,
        &rows,
        &sampling,
        &colours);
    pixels.resize(static_cast<size_t>(columns) * rows * 3);
    tjDecompress2(
        handle,
        bytes.data(),
        bytes.size(),
        pixels.data(),
        columns,
        0,
        rows,
        TJPF_RGB,
        0);
  }
  tjDestroy(handle);
}

Turns in_processor_time(
    const std::function<void()>& ours,
    const std::function<void()>& rival) {
  Turns turns;
  ours();
  rival();
  for (int turn = 0; turn < kTurns; ++turn) {
    const double start = processor_seconds();
    ours();
    const double between = processor_seconds();
    rival();
    turns.ours.push_back(between - start);
    turns.rival.push_back(processor_seconds() - between);
  }
  return turns;
}

// All of a source's samples once, through a loader.
void load_all(const std::shared_ptr<const data::Source>& source, int threads) {
  constexpr int64_t kBatch = 8;
  const auto sharder = std::make_shared<data::ShuffledSharder>(
      source->size(),
      data::ShardOptions{.batch = kBatch});
  const int64_t steps = sharder->steps_per_epoch();
  data::Loader loader(
      source,
      sharder,
      {.steps_per_epoch = steps,
       .last_step = steps,
       .prefetch = 2 * threads,
       .threads = threads});
  data::Batch batch;
  for (int64_t step = 0; step < steps; ++step)
    loader.take(step, 0, batch);
}

std::vector<Row> photographs(const std::string& folder) {
  const auto images = data::open_image_folder(folder + "/train", {});
  Files files;
  for (int64_t i = 0; i < images.size(); ++i)
    files.push_back(data::read_file(images.path_of(i)));
  const auto count = static_cast<double>(files.size());
  const auto source =
      data::load_dataset({.name = "imagenet", .directory = folder}).train;
  const auto loading = [&] { load_all(source, 2); };
  std::vector<Row> rows;
  rows.push_back(rate_row(
      "decoding photographs vs libjpeg-turbo alone",
      in_processor_time(
          [&] { decode_ours(files); },
          [&] { decode_plainly(files); }),
      count,
      count,
      ">=0.9"));
  constexpr int64_t kBatch = 8;
  Trainee trainee("resnet50", kBatch, {3, 224, 224});
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    rows.push_back(rate_row(
        fmt::format(
            "2 loader threads at 224 x 224 vs ResNet50 on {} thread{}",
            threads,
            threads == 1 ? "" : "s"),
        take_turns(3, loading, [&] { trainee.step(); }),
        count,
        kBatch,
        ">=1"));
  }
  return rows;
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  using namespace grapevine;
  if (argc != 2) {
    std::cerr << "usage: input_bench FILE.json\n";
    return 2;
  }
  run::use_one_torch_thread();
  std::vector<perf::Row> rows = {perf::augmentation()};
  data::DataOptions options{.name = "imagenet"};
  options.search_path = data::default_data_path();
  if (const auto folder = data::locate_dataset(options)) {
    const auto more = perf::photographs(*folder);
    rows.insert(rows.end(), more.begin(), more.end());
  } else {
    std::cerr << "input_bench: no photographs (imagenet or imagenette-mini in "
                 "$GRAPEVINE_DATA), so no rows of them\n";
  }
  perf::write_rows(argv[1], rows);
  return 0;
}

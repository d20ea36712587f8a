// docs/formats.md against the program: its examples are what we write, and
// are read as what it says.
#include "record/checkpoint.h"
#include "record/record_reader.h"
#include "record/record_writer.h"
#include "record/schema.h"
#include "record/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace grapevine::record {
namespace {

using nlohmann::json;

// The fenced block behind <!-- example: name -->.
std::string example(const std::string& name) {
  const std::string page = get(GV_FORMATS_PAGE);
  const std::string mark = "<!-- example: " + name + " -->\n```";
  const size_t found = page.find(mark);
  EXPECT_NE(found, std::string::npos) << name;
  if (found == std::string::npos) return "";
  const size_t begin = page.find('\n', found + mark.size()) + 1;
  return page.substr(begin, page.find("```", begin) - begin);
}

std::string bytes_of(const std::string& hex) {
  std::istringstream digits(hex);
  digits >> std::hex;
  std::string bytes;
  for (unsigned value; digits >> value;) {
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

class FormatsPageTest : public testing::Test {
 protected:
  FormatsPageTest() { run_.create(); }

  std::vector<json> read_example(const std::string& name) const {
    put(run_.records(0), example(name));
    std::vector<json> records;
    EXPECT_EQ(
        read_run_records(
            run_,
            [&](const json& record) { records.push_back(record); }),
        0);
    return records;
  }

  // Its lines have these types, and are written again as they stand there.
  void expect_example(
      const std::string& name,
      const std::vector<std::string>& types) const {
    const auto records = read_example(name);
    std::vector<std::string> found;
    for (const json& record : records)
      found.push_back(record.at("type"));
    EXPECT_EQ(found, types);
    {
      RecordWriter writer(directory_ / name);
      for (const json& record : records)
        writer.append(record);
    }
    EXPECT_EQ(get(directory_ / name), example(name));
  }

  TemporaryDirectory directory_;
  RunDirectory run_{directory_ / "run"};
};

TEST(FormatsPage, NamesEverySeriesOfTheSchema) {
  const std::string page = get(GV_FORMATS_PAGE);
  for (const SeriesTable& table : series_tables()) {
    std::set<std::string> names;
    EXPECT_NE(page.find("| `" + table.type + "` |"), std::string::npos);
    for (const Series& series : table.series) {
      EXPECT_TRUE(names.insert(series.name).second) << series.name;
      EXPECT_FALSE(series.title.empty()) << series.name;
      EXPECT_NE(page.find("`" + series.key + "`"), std::string::npos)
          << table.type << " " << series.key;
      EXPECT_EQ(table.is_cumulative, !series.per_count.empty());
    }
  }
}

TEST_F(FormatsPageTest, Safetensors) {
  const std::vector<float> values = {1, -2.5};
  const std::vector<TensorView> tensors = {{"w", {2}, values}};
  const Checkpoints checkpoints(run_);
  checkpoints.write_worker(3, 0, tensors);
  EXPECT_EQ(
      get(run_.checkpoints() / "step-00000003" / "worker-0000.safetensors"),
      bytes_of(example("safetensors")));

  put(directory_ / "page", bytes_of(example("safetensors")));
  const auto loaded = read_safetensors(directory_ / "page");
  EXPECT_EQ(loaded.tensors.at("w").values, values);
  EXPECT_EQ(loaded.metadata.at("step"), "3");
}

TEST_F(FormatsPageTest, Manifest) {
  const std::vector<float> values = {1, -2.5};
  const std::vector<TensorView> tensors = {{"w", {2}, values}};
  const Checkpoints checkpoints(run_);
  checkpoints.write_worker(3, 0, tensors);
  checkpoints.commit(3, 1, {{"epoch", 0}});
  const auto manifest = run_.checkpoints() / "step-00000003" / "manifest.json";
  EXPECT_EQ(get(manifest), example("manifest"));

  put(manifest, example("manifest"));
  const auto list = checkpoints.list();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].step, 3);
  EXPECT_EQ(list[0].state, json({{"epoch", 0}}));
  EXPECT_EQ(checkpoints.read_worker(list[0], 0).tensors.size(), 1u);
}

TEST_F(FormatsPageTest, Run) {
  run_.write_run({{"outcome", "completed"}});
  EXPECT_EQ(get(run_.run_file()), example("run"));
  EXPECT_EQ(run_.read_run()->at("outcome"), "completed");
}

TEST_F(FormatsPageTest, Records) {
  expect_example(
      "records",
      {"attempt",
       "step",
       "norms",
       "dispersion",
       "density",
       "spans",
       "waits",
       "timeline",
       "evaluation"});
}

TEST_F(FormatsPageTest, AsynchronousRecords) {
  expect_example("gossip", {"attempt", "gossip"});
  expect_example(
      "gossip-process",
      {"attempt",
       "membership",
       "step",
       "gossip",
       "membership",
       "membership",
       "replica_evaluation",
       "end"});
}

TEST_F(FormatsPageTest, Superseded) {
  const auto records = read_example("superseded");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].at("attempt"), 0);
  EXPECT_EQ(records[1].at("loss"), json({4.0}));
  EXPECT_EQ(records[2].at("attempt"), 1);
  EXPECT_EQ(records[3].at("step"), 1);
}

} // namespace
} // namespace grapevine::record

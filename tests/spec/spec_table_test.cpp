#include "spec/spec_table.h"
#include "base/names.h"
#include "base/random.h"
#include "graph/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace grapevine::spec {
namespace {

// A value that the key takes, by chance.
std::string some_value(const SpecEntry& entry, Random& random) {
  if (!entry.allowed.empty()) {
    return entry.allowed[random.below(entry.allowed.size())];
  }
  if (entry.key == "compute") return "4ms,8ms";
  if (entry.key == "link") return "1gbit,2ms";
  if (entry.key == "slow") return "0:1.5,random:0.1:2";
  // Not 1: k-min begins at 2.
  if (entry.type == "integer") return std::to_string(2 + random.below(1000));
  if (entry.type == "bytes") return std::to_string(64 + random.below(1 << 30));
  if (entry.type == "yes/no") return random.below(2) ? "true" : "false";
  if (entry.type == "number")
    return std::to_string(0.01 + 0.9 * random.uniform());
  if (entry.type == "numbers") {
    const double first = 0.1 + 0.4 * random.uniform();
    return std::to_string(first) + "," + std::to_string(first + 0.3);
  }
  return "a \"quoted\" \\ text, é " + std::to_string(random.below(100));
}

Spec some_spec(uint64_t seed) {
  Random random(seed, Purpose::kTest);
  Spec spec;
  for (const SpecEntry& entry : spec_table()) {
    if (random.below(4) > 0) entry.set(spec, some_value(entry, random));
  }
  return spec;
}

std::string values(const Spec& spec) {
  std::string text;
  for (const SpecEntry& entry : spec_table()) {
    text += entry.key + " = " + entry.get_toml(spec) + "\n";
  }
  return text;
}

TEST(SpecTable, KeysAreDistinctAndDocumented) {
  std::set<std::string> keys;
  const std::set<std::string> types =
      {"integer", "number", "text", "yes/no", "numbers", "bytes"};
  for (const SpecEntry& entry : spec_table()) {
    EXPECT_TRUE(keys.insert(entry.key).second) << entry.key;
    EXPECT_FALSE(entry.help.empty()) << entry.key;
    EXPECT_FALSE(entry.group.empty()) << entry.key;
    EXPECT_TRUE(types.count(entry.type)) << entry.key;
    EXPECT_EQ(find_entry(entry.key), &entry);
  }
  EXPECT_EQ(find_entry("no-such-key"), nullptr);
}

TEST(SpecTable, GroupsAreContiguous) {
  std::set<std::string> seen;
  std::string group;
  for (const SpecEntry& entry : spec_table()) {
    if (entry.group == group) continue;
    group = entry.group;
    EXPECT_TRUE(seen.insert(group).second) << group;
  }
}

// What scripts rely on.
TEST(SpecTable, HasTheNamesThatScriptsUse) {
  for (const char* key :
       {"preset",
        "model",
        "data",
        "n",
        "epochs",
        "batch",
        "lr",
        "lr-scaling",
        "seed",
        "transport",
        "out",
        "agreement",
        "optimizer",
        "graph",
        "momentum",
        "weight-decay",
        "lr-schedule",
        "warmup",
        "lr-scaling-by",
        "steps",
        "bucket-bytes",
        "threads",
        "deadline",
        "checkpoint-every",
        "probe-every",
        "eval-samples",
        "eval-full",
        "buffers",
        "clip",
        "check",
        "rows",
        "k",
        "edges",
        "workers-per-node",
        "k0",
        "gamma",
        "partial",
        "fresh",
        "init"}) {
    EXPECT_NE(find_entry(key), nullptr) << key;
  }
}

TEST(SpecTable, DefaultsAreValuesOfTheirOwn) {
  Spec spec;
  for (const SpecEntry& entry : spec_table()) {
    std::string value = entry.get_toml(spec);
    if (entry.type == "text") value = value.substr(1, value.size() - 2);
    EXPECT_NO_THROW(entry.set(spec, value)) << entry.key;
  }
  EXPECT_EQ(values(spec), values(Spec{}));
}

TEST(SpecTable, RoundTripThroughToml) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Spec spec = some_spec(seed);
    const ParsedSpec back = parse_spec(to_toml(spec), "spec.toml", {});
    ASSERT_EQ(values(back.spec), values(spec)) << "seed " << seed;
    ASSERT_EQ(spec_hash(back.spec), spec_hash(spec));
  }
}

TEST(SpecTable, EveryFieldHasItsOwnKey) {
  // Setting one key changes that key's value and no other's.
  for (const SpecEntry& entry : spec_table()) {
    Random random(7, Purpose::kTest);
    Spec spec;
    for (int trial = 0; trial < 20; ++trial) {
      entry.set(spec, some_value(entry, random));
      for (const SpecEntry& other : spec_table()) {
        if (other.key == entry.key) continue;
        EXPECT_EQ(other.get_toml(spec), other.get_toml(Spec{}))
            << entry.key << " changed " << other.key;
      }
    }
  }
}

TEST(SpecTable, HashHoldsExactlyWhatDecides) {
  const std::string plain = spec_hash(Spec{});
  EXPECT_EQ(plain.size(), 12u);
  EXPECT_EQ(plain.find_first_not_of("0123456789abcdef"), std::string::npos);
  for (const SpecEntry& entry : spec_table()) {
    Random random(3, Purpose::kTest);
    Spec spec;
    for (int trial = 0;
         trial < 50 && entry.get_toml(spec) == entry.get_toml(Spec{});
         ++trial) {
      entry.set(spec, some_value(entry, random));
    }
    if (entry.get_toml(spec) == entry.get_toml(Spec{})) continue; // one choice
    EXPECT_EQ(spec_hash(spec) != plain, entry.decides_result) << entry.key;
    EXPECT_EQ(spec_fingerprint(spec).count(entry.key), entry.decides_result);
  }
}

TEST(SpecTable, PlumbingDoesNotDecide) {
  for (const char* key :
       {"transport",
        "threads",
        "bucket-bytes",
        "out",
        "data-dir",
        "deadline",
        "prefetch",
        "checkpoint-every",
        "fresh",
        "check"}) {
    EXPECT_FALSE(find_entry(key)->decides_result) << key;
  }
}

TEST(SpecTable, RunNameSaysWhatItIs) {
  Spec spec;
  spec.seed = 7;
  EXPECT_EQ(run_name(spec), "ring-mlp-fashion-mnist-n8-s7-" + spec_hash(spec));
  spec.preset = "d-ring";
  EXPECT_EQ(
      run_name(spec),
      "d-ring-mlp-fashion-mnist-n8-s7-" + spec_hash(spec));
  spec.graph = "torus"; // given beside the preset
  EXPECT_EQ(run_name(spec), "torus-mlp-fashion-mnist-n8-s7-" + spec_hash(spec));
}

TEST(Presets, NameThingsThatExist) {
  for (const Preset& preset : preset_table()) {
    Spec spec;
    EXPECT_NO_THROW(find_entry("agreement")->set(spec, preset.agreement));
    EXPECT_NO_THROW(find_entry("optimizer")->set(spec, preset.optimizer));
    EXPECT_NO_THROW(find_entry("graph")->set(spec, preset.graph));
  }
}

TEST(SpecTable, AClockBelongsToTheNameOnlyWhereThereIsOne) {
  Spec spec;
  const auto without = spec_fingerprint(spec);
  for (const char* key : {"compute", "link", "slow", "costs", "bucket-bytes"})
    EXPECT_EQ(without.count(key), 0u) << key;
  EXPECT_FALSE(has_virtual_clock(spec));
  const std::string hash = spec_hash(spec);
  spec.bucket_bytes *= 2;
  EXPECT_EQ(spec_hash(spec), hash);
  spec.compute = "12ms";
  EXPECT_TRUE(has_virtual_clock(spec));
  const std::string with = spec_hash(spec);
  EXPECT_NE(with, hash);
  spec.bucket_bytes *= 2;
  EXPECT_NE(spec_hash(spec), with);
  spec.link = "1gbit,2ms";
  EXPECT_EQ(spec_fingerprint(spec).at("link"), "\"1gbit,2ms\"");
}

} // namespace
} // namespace grapevine::spec

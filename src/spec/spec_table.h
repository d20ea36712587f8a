// The one table of all options of a run, and what is made from it.
#pragma once

#include "base/option.h"
#include "spec/spec.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace grapevine::spec {

// In the order of --help and of spec.toml.
using SpecEntry = Option<Spec>;
const std::vector<SpecEntry>& spec_table();
// Null where there is no such key.
const SpecEntry* find_entry(std::string_view key);
// As it is typed: "--lr", and "-n" for the number of workers.
std::string flag_of(std::string_view key);

struct Preset {
  std::string name;
  std::string summary;
  std::string agreement;
  std::string optimizer;
  std::string graph; // empty = any, here and in the following
  std::string ada = {};
  std::string continuous_momentum = {};
};
const std::vector<Preset>& preset_table();

// Where each key of a spec came from, for messages: "run.toml:12" or
// "--lr". Keys not mentioned have their default.
using Origins = std::map<std::string, std::string>;

// "--lr", "run.toml:12: lr", or "lr" if it has its default: for messages.
std::string place_of(const Origins& origins, const std::string& key);

struct ParsedSpec {
  Spec spec;
  Origins origins;
};

// Reads TOML text (underscores in keys are taken for dashes), then the flags
// (key -> value, in order; the last wins), then applies the preset underneath
// them: what was given explicitly beside the preset wins over it, while a
// preset given as a flag wins over the file. `agreement = allreduce` without a
// graph means the complete one, and without an lr it is what suits the
// optimizer. ConfigError: syntax (file, line), unknown key
// (nearest spelling), wrong type or value (what is allowed).
using Flags = std::vector<std::pair<std::string, std::string>>;
ParsedSpec parse_spec(
    std::string_view toml,
    const std::string& file_name,
    const Flags& flags);

// Refuses combinations that make no sense, before anything starts, with the
// reason and the origin of the offending key.
void validate(const ParsedSpec& parsed);

// Every key with its value, grouped, readable back by parse_spec to the same
// Spec.
std::string to_toml(const Spec& spec);

// Whether the spec has a virtual clock: any of its keys is given.
bool has_virtual_clock(const Spec& spec);

// 12 hexadecimal digits over the keys that decide the result. With a virtual
// clock, the size of a bucket is one of them: it decides when what is sent.
std::string spec_hash(const Spec& spec);
// "<preset or graph>-<model>-<data>-n<n>-s<seed>-<hash>".
std::string run_name(const Spec& spec);
// Key -> TOML value for the keys that decide the result: what workers compare.
std::map<std::string, std::string> spec_fingerprint(const Spec& spec);
// The first of those keys in which two specs differ, with both values. A key
// that one fingerprint does not have has its default there.
struct SpecDifference {
  std::string key;
  std::string first;
  std::string second;
};
std::optional<SpecDifference> first_difference(
    const Spec& first,
    const Spec& second);

} // namespace grapevine::spec

#include "fuzz/targets.h"

#include "base/error.h"

namespace grapevine::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"checkpoint", read_checkpoint, 4096},
      {"cifar10", read_cifar10, 6200},
      {"costs", read_costs, 4096},
      {"edges", read_edges, 1024},
      {"gzip", read_gzip, 4096},
      {"idx", read_idx, 1024},
      {"images", read_images, 1024},
      {"jpeg", read_jpeg, 4096},
      {"packed", read_packed, 2100},
      {"pairs", read_pairs, 1024},
      {"records", read_records, 8192},
      {"run", read_run, 4096},
      {"safetensors", read_safetensors, 4096},
      {"spec", read_spec, 4096},
      {"tar", read_tar, 8192},
      {"text", read_text, 1024},
      {"vocabulary", read_vocabulary, 4096},
      {"words", read_words, 1024},
  };
  return table;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void run(const Target& target, Bytes input) {
  try {
    target.read(input);
  } catch (const ConfigError&) {
  } catch (const IoError&) {
  }
}

} // namespace grapevine::fuzz

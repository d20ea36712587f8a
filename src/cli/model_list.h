// The model zoo without torch, so that the verbs need not compile with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::cli {

struct ListedModel {
  std::string name;
  std::string task;
  std::string summary;
  int64_t parameters;
};

// Makes every model once to count its parameters.
std::vector<ListedModel> list_models();

std::vector<std::string> model_names();

// Whether a model's name is that of a TorchScript file.
bool is_model_file(const std::string& name);

} // namespace grapevine::cli

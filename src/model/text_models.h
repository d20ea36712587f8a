// The part of the zoo's table that takes tokens.
#pragma once

#include <grapevine/model.h>

#include <vector>

namespace grapevine::model {

struct TextModel {
  ModelEntry entry;
  std::shared_ptr<Model> (*make)(const ModelOptions& options);
};

std::vector<TextModel> text_models();

} // namespace grapevine::model

#include "cli/model_list.h"

#include "model/script_model.h"
#include "model/zoo.h"

namespace grapevine::cli {

std::vector<ListedModel> list_models() {
  std::vector<ListedModel> models;
  for (const model::ModelEntry& entry : model::model_table()) {
    models.push_back(
        {entry.name, entry.task, entry.summary, model::parameter_count(entry)});
  }
  return models;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const model::ModelEntry& entry : model::model_table()) {
    names.push_back(entry.name);
  }
  return names;
}

bool is_model_file(const std::string& name) {
  return model::is_script(name);
}

} // namespace grapevine::cli

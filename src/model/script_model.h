// A model from a TorchScript file, as torch.jit.script or torch.jit.trace and
// save() write it: trained without a line of C++.
//
// Its forward takes and gives what Model::forward does. It begins with the
// file's values, whatever the seed; parameters keep their names. Chance inside
// it (nn.Dropout) comes from torch's own generator: such a pass has the
// generator for itself, seeded by the pass's address, so that runs repeat
// bit for bit; models without chance run side by side.
#pragma once

#include <grapevine/model.h>

#include <memory>
#include <string>

namespace grapevine::model {

// Whether a model's name is that of a file: it ends in .pt.
bool is_script(const std::string& name);

// options.name is the path. ConfigError: a file that cannot be read as
// TorchScript; samples that it fails on, or logits of another shape than
// [labels, classes] for them.
std::shared_ptr<Model> make_script_model(const ModelOptions& options);

} // namespace grapevine::model

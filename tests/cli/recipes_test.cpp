// Every recipe means something: without its data it fails for want of them, and
// of nothing else.
#include "cli/program_runner.h"

#include <filesystem>

namespace grapevine::cli {
namespace {

TEST(Recipes, WantNothingButTheirData) {
  const Scratch scratch;
  const std::string nothing = scratch.file("nothing");
  std::filesystem::create_directory(nothing);
  int recipes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(GV_SOURCE_DIR "/recipes")) {
    if (entry.path().extension() != ".toml") continue;
    ++recipes;
    const Answer answer = grapevine(
        {"train",
         entry.path().string(),
         "--data-dir",
         nothing,
         "--out",
         scratch.file("run")});
    EXPECT_EQ(answer.exit_code, 1) << entry.path() << ": " << answer.error;
    EXPECT_NE(answer.error.find("get it by"), std::string::npos)
        << entry.path() << ": " << answer.error;
  }
  EXPECT_GT(recipes, 10);
}

} // namespace
} // namespace grapevine::cli

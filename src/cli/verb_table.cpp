#include "cli/verb.h"

namespace grapevine::cli {

const std::vector<VerbEntry>& verb_table() {
  static const std::vector<VerbEntry> table = {
      {"bench", "[SPEC] [OPTIONS]", "compare many runs", make_bench_verb},
      {"train", "[SPEC] [OPTIONS]", "one run", make_train_verb},
      {"report",
       "RUN…",
       "tables, CSV and one page about runs",
       make_report_verb},
      {"plan",
       "measure | predict | recommend",
       "how long an iteration will take, and what to use",
       make_plan_verb},
      {"graph",
       "NAME [-n N] [OPTIONS]",
       "degree, spectrum and cost of a graph",
       make_graph_verb},
      {"launch",
       "-n N -- VERB | PROGRAM …",
       "local processes, one worker each",
       make_launch_verb},
      {"data",
       "get NAME | bpe FILE… | list",
       "data sets and vocabularies",
       make_data_verb},
      {"models", "", "the zoo, with parameter counts", make_models_verb},
      {"eval", "RUN", "evaluate a run again", make_eval_verb},
      {"export",
       "RUN FILE",
       "write the averaged model of a run",
       make_export_verb},
  };
  return table;
}

} // namespace grapevine::cli

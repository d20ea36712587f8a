#include "base/error.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/report_text.h"
#include "cli/run_summary.h"
#include "cli/verb.h"
#include "cli/version.h"
#include "report/page.h"
#include "report/report.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace grapevine::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPageName = "report.html";

class ReportVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", paths_, "directories of runs, or of many runs");
    app.add_option(
        "--html",
        html_,
        "the page; default: report.html in RUN, of several here");
    app.add_flag("--no-html", no_html_, "no page");
    app.add_option("--csv", csv_, "directory for the CSV files");
    app.add_option(
        "--trace",
        trace_,
        "file for the timelines of the one RUN: ui.perfetto.dev opens it");
    app.add_option(
        "--target",
        target_,
        "accuracy whose cost is compared; default: 0.98 of the best");
    app.add_option("--title", title_, "of the page");
  }

  int run(bool json) override {
    if (paths_.empty()) throw ConfigError("report: say which runs");
    if (no_html_ && !html_.empty()) {
      throw ConfigError("--html and --no-html: one of them");
    }
    const report::ReportResult result =
        report::write_report({paths_.begin(), paths_.end()}, options());
    refuse_nothing(result.data);
    if (json) {
      print_document(result);
    } else {
      print_report(result);
    }
    return kDone;
  }

 private:
  report::ReportOptions options() const {
    report::ReportOptions options;
    options.title = title_;
    options.program = fmt::format("grapevine {}", kVersion);
    options.target = target_;
    if (!csv_.empty()) options.csv = csv_;
    if (!trace_.empty()) options.trace = trace_;
    if (!html_.empty()) {
      options.html = html_;
    } else if (!no_html_ && report::has_page()) {
      options.html = default_page();
    }
    return options;
  }

  fs::path default_page() const {
    std::error_code error;
    const bool is_one =
        paths_.size() == 1 && fs::is_directory(paths_[0], error);
    return is_one ? fs::path(paths_[0]) / kPageName : fs::path(kPageName);
  }

  static void refuse_nothing(const report::ReportData& data) {
    if (!data.set.runs.empty()) return;
    std::string reasons;
    for (const report::Skipped& skipped : data.set.skipped) {
      reasons += fmt::format(
          "{}{}: {}",
          reasons.empty() ? "" : "; ",
          skipped.path,
          skipped.why);
    }
    throw ConfigError("no run could be read: " + reasons);
  }

  static std::vector<RunSummary> summaries(const report::ReportData& data) {
    std::vector<RunSummary> list;
    for (const report::RunData& run : data.set.runs)
      list.push_back(summary_of(run));
    return list;
  }

  void print_report(const report::ReportResult& result) const {
    const report::ReportData& data = result.data;
    std::string text = summary_table(summaries(data), data.set.grouping.keys) +
                       report_text(data);
    if (result.page) {
      text += fmt::format("\nreport: {}\n", result.page->string());
    } else if (!no_html_) {
      text += "\nno page: built without it\n";
    }
    if (!csv_.empty()) text += fmt::format("CSV: {}\n", csv_);
    if (!trace_.empty()) {
      text +=
          fmt::format("trace: {}, {} events\n", trace_, result.trace_events);
    }
    print_text(text);
  }

  static void print_document(const report::ReportResult& result) {
    const report::ReportData& data = result.data;
    auto list = nlohmann::json::array();
    for (const RunSummary& run : summaries(data))
      list.push_back(to_json(run, data.set.grouping.keys));
    const auto part =
        [&](void (*write)(report::JsonWriter&, const report::ReportData&)) {
          report::JsonWriter writer;
          write(writer, data);
          return nlohmann::json::parse(writer.take());
        };
    print_json(nlohmann::json{
        {"runs", list},
        {"report",
         result.page ? nlohmann::json(result.page->string())
                     : nlohmann::json()},
        {"groups", part(report::write_groups)},
        {"analysis", part(report::write_analysis)},
        {"blame", part(report::write_blames)},
        {"gossip", part(report::write_gossips)},
        {"skipped", part(report::write_skipped)}});
  }

  std::vector<std::string> paths_;
  std::string html_;
  bool no_html_ = false;
  std::string csv_;
  std::string trace_;
  std::optional<double> target_;
  std::string title_;
};

} // namespace

std::unique_ptr<Verb> make_report_verb() {
  return std::make_unique<ReportVerb>();
}

} // namespace grapevine::cli

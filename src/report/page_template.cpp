#include "report/page.h"

// The assembler copies the file as it is. A string literal of this size would
// pass the compiler's limits and take it long.
asm(R"(
  .pushsection .rodata
  .balign 16
  .type gv_report_page_begin, %object
gv_report_page_begin:
  .incbin ")" GV_PAGE_FILE R"("
gv_report_page_end:
  .size gv_report_page_begin, gv_report_page_end - gv_report_page_begin
  .popsection
  .globl gv_report_page_begin
  .globl gv_report_page_end
  .hidden gv_report_page_begin
  .hidden gv_report_page_end
)");

extern "C" {
extern const char gv_report_page_begin[];
extern const char gv_report_page_end[];
}

namespace grapevine::report {

std::string_view page_template() {
  return {gv_report_page_begin, gv_report_page_end};
}

} // namespace grapevine::report

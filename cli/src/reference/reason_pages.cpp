#include <kubist/util/text.hpp>

#include "reasons.hpp"
#include "reference/pages.hpp"

namespace kubist::cli {

using util::cat;

std::vector<Page> reason_pages() {
  std::string text = md_head("Reasons", "cli/reasons");
  text +=
      "\nA reason is the word that stands in the conditions of an object, in its status, in an "
      "error or in\n`kubist tree`. `kubist explain REASON` prints the same as this page. After "
      "each "
      "reason stands what\nbecomes of the object or the command:\n\n";
  for (const Then then :
       {Then::fine, Then::waits, Then::retried, Then::stalled, Then::ended, Then::refused}) {
    text += md_paragraph("- ", cat("**", to_string(then), "**: ", meaning(then)), 2);
  }
  for (const ReasonArea& area : reason_areas()) {
    text += cat("\n## ", area.title, "\n\n", md_paragraph("", md_text(area.about)));
    for (const Reason& reason : area.reasons) {
      text +=
          cat("\n### ", reason.name, "\n\n",
              md_paragraph("", cat("**", to_string(reason.then), ".** ", md_text(reason.means))));
      if (reason.advice != "Nothing.") {
        text += cat('\n', md_paragraph("", cat("What to do: ", md_text(reason.advice))));
      }
    }
  }
  return {{"reasons.md", text}};
}

}  // namespace kubist::cli

#include <kubist/data/pointer.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/util/text.hpp>

#include "reference/pages.hpp"
#include "reference/schema_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

std::string parameter_sections(const std::string& title, const Json& schema) {
  const auto path_of = [&](const std::string& name) {
    return title == "Parameters" ? name : cat(title, '.', name);
  };
  std::string text = cat("\n## ", title, "\n\n", field_lines(schema, [&](const std::string& name) {
                           return cat('#', util::replace_all(util::lower(path_of(name)), ".", ""));
                         }));
  for (const auto& [name, field] : data::object_at(schema, {"properties"}).items()) {
    if (const Json* below = fields_below(field)) {
      text += parameter_sections(path_of(name), *below);
    }
  }
  return text;
}

std::string code_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += cat(text.empty() ? "" : ", ", md_code(word));
  }
  return text;
}

constexpr std::string_view k_policy_source = "the schemas of the built-in policies (lib/policies)";

Page policy_page(const policies::Builtin& builtin) {
  const engine::PolicyDefinition& policy = *builtin.definition;
  std::string text = md_head(policy.name, k_policy_source);
  text += cat('\n', md_paragraph("", md_text(policy.summary)), md_paragraphs(policy.doc), '\n');
  text += md_paragraph(
      "- ", cat("For: ", policy.kinds.empty() ? "every kind" : code_list(policy.kinds)), 2);
  if (!builtin.aliases.empty()) {
    text += md_paragraph("- ", cat("Other names: ", code_list(builtin.aliases)), 2);
  }
  text += fields_below(policy.parameters) == nullptr
              ? "\nIt takes no parameters.\n"
              : parameter_sections("Parameters", policy.parameters);
  return {cat("policies/", util::lower(policy.name), ".md"), text};
}

}  // namespace

std::vector<Page> policy_pages() {
  std::vector<Page> pages;
  std::vector<std::string> entries;
  std::string index = md_head("Built-in policies", k_policy_source);
  index +=
      "\n`kubist policy list --offline` prints them too. The [reasons](../reasons.md) that they "
      "give are\namong those of releases.\n\n";
  for (const policies::Builtin& builtin : policies::builtins()) {
    pages.push_back(policy_page(builtin));
    entries.push_back(util::lower(builtin.definition->name));
    index += md_paragraph("- ",
                          cat('[', builtin.definition->name, "](", entries.back(),
                              ".md): ", md_text(builtin.definition->summary)),
                          2);
  }
  pages.push_back(md_index("policies", index, entries));
  return pages;
}

}  // namespace kubist::cli

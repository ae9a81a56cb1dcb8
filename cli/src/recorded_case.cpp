#include "recorded_case.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;
using engine::PolicyTrace;
using util::cat;

/// What a user would expect of it: the spec, the decision, the messages. Items that it was only
/// told of are maps with nothing in them.
Json expected_of(const Json& output) {
  Json expected{{"items", Json::array()}};
  for (const Json& item : data::array_at(output, {"items"})) {
    const bool first = expected["items"].empty();
    expected["items"].push_back(first ? Json{{"spec", data::object_at(item, {"spec"})}}
                                      : Json::object());
  }
  for (const char* field : {"decision", "outcome"}) {
    if (const Json* value = data::find_path(output, {"functionConfig", "status", field})) {
      expected["functionConfig"]["status"][field] = *value;
    }
  }
  if (const Json* results = data::find_path(output, {"results"})) {
    expected["results"] = *results;
  }
  return expected;
}

Json case_of(const engine::Node& node, const PolicyTrace& trace) {
  Json made{{"name", cat(trace.name, " on ", engine::to_string(node))},
            {"policies", Json::array({{{"name", trace.name}}})},
            {"input", trace.input}};
  if (trace.error) {
    made["error"] = trace.error->message;
  } else {
    made["expected"] = expected_of(trace.output);
  }
  return made;
}

}  // namespace

std::string recorded_cases(const engine::Node& node, const engine::PolicyVerdict& verdict) {
  std::string text;
  for (const PolicyTrace& trace : verdict.trace) {
    if (trace.input.is_object()) {
      text += text.empty() ? "" : "---\n";
      data::write_yaml(case_of(node, trace), text);
    }
  }
  return text;
}

}  // namespace kubist::cli

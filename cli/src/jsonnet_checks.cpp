#include "jsonnet_checks.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/runtimes/jsonnet.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;

/// One program and the field that has it.
struct Program {
  std::string name;  ///< as runs call it
  std::string pointer;
  std::string source;
};

std::vector<Program> programs_of(const Manifest& manifest) {
  const ObjectView view(manifest.object);
  std::vector<Program> programs;
  if (view.group() != resources::k_kubist_group) {
    return programs;
  }
  const std::string title = cat(view.kind(), '/', view.name());
  if (resources::is_definition(manifest.object)) {
    programs.push_back(
        {title, "/spec/runtime/jsonnet/source",
         std::string(data::string_at(manifest.object, {"spec", "runtime", "jsonnet", "source"}))});
  }
  const Json& items = data::array_at(manifest.object, {"spec", "items"});
  for (std::size_t i = 0; view.kind() == "Execution" && i < items.size(); ++i) {
    const Json& item = items[i];
    programs.push_back({cat(title, "/items/", data::string_at(item, {"name"}), "/template"),
                        cat("/spec/items/", i, "/template"),
                        std::string(data::string_at(item, {"template"}))});
  }
  std::erase_if(programs, [](const Program& program) { return program.source.empty(); });
  return programs;
}

/// What Jsonnet says, and where in the program: "NAME:3:4-8: text", "NAME:(3:4)-(5:1): text", or
/// "RUNTIME ERROR: text" and then a trace of such places. Line 0: it names no place.
struct Complaint {
  std::size_t line = 0, column = 0;
  std::string text;
};

std::size_t take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = util::parse_int(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));  // with the colon behind it
  return number ? static_cast<std::size_t>(*number) : 0;
}

Complaint complaint_of(const std::string& message, const std::string& name) {
  Complaint found{0, 0, message};
  const std::string mark = cat(name, ':');
  const std::size_t at = message.find(mark);
  if (at == std::string::npos) {
    return found;
  }
  std::string_view rest = std::string_view(message).substr(at + mark.size());
  rest.remove_prefix(rest.starts_with('(') ? 1 : 0);
  found.line = take_number(rest);
  found.column = take_number(rest);
  constexpr std::string_view k_runtime = "RUNTIME ERROR: ";
  if (const std::size_t runtime = message.find(k_runtime); runtime < at) {
    rest = std::string_view(message).substr(runtime + k_runtime.size());
  } else if (const std::size_t text = rest.find(": "); text != rest.npos) {
    rest.remove_prefix(text + 2);
  }
  found.text = rest.substr(0, rest.find('\n'));
  return found;
}

/// The place of a program's line and column in its file, where the field is a literal block there.
std::optional<util::SourcePos> place_in_file(const util::SourcePos& field, const Program& program,
                                             const Complaint& complaint) {
  const auto file = util::read_file(field.origin);
  const auto of_file = util::split(file.value_or(""), '\n');
  const auto of_program = util::split(program.source, '\n');
  const std::size_t line = field.line + complaint.line;
  if (complaint.line == 0 || complaint.line > of_program.size() || line > of_file.size()) {
    return std::nullopt;
  }
  const std::string& wanted = of_program[complaint.line - 1];
  const std::string& there = of_file[line - 1];
  if (wanted.empty() || !there.ends_with(wanted)) {
    return std::nullopt;
  }
  return util::SourcePos{field.origin, line, there.size() - wanted.size() + complaint.column};
}

util::Error problem_of(const Manifest& manifest, const Program& program, util::Error error) {
  const Complaint complaint = complaint_of(error.message, program.name);
  error.pos = manifest.position(program.pointer);
  if (complaint.line == 0) {
    return error;
  }
  std::string where;
  if (auto place = place_in_file(error.pos, program, complaint)) {
    error.pos = *std::move(place);
  } else if (complaint.line > util::split(program.source, '\n').size()) {
    where = "at its end: ";
  } else {
    where = cat("line ", complaint.line, ", column ", complaint.column, ": ");
  }
  error.message = cat(program.name, ": ", where, complaint.text);
  return error;
}

}  // namespace

std::vector<util::Error> jsonnet_problems(const std::vector<Manifest>& manifests,
                                          const std::stop_token& stop) {
  runtimes::Jsonnet jsonnet;
  std::vector<util::Error> problems;
  for (const Manifest& manifest : manifests) {
    for (const Program& program : programs_of(manifest)) {
      if (const auto checked = jsonnet.check(program.name, program.source, stop); !checked) {
        problems.push_back(problem_of(manifest, program, checked.error()));
      }
    }
  }
  return problems;
}

}  // namespace kubist::cli

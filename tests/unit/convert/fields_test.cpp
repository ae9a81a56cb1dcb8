// Every field that Canaries and Rollouts commonly have is converted, or a warning says that it is
// not: tests/data/convert/fields/fields.tsv lists them.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include <kubist/convert/convert.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/paths.hpp"

using namespace kubist;
using data::Json;

namespace {

constexpr std::string_view k_folder = "/tests/data/convert/fields/";

std::string read(std::string_view name) {
  return *util::read_file(util::cat(paths::source_dir(), k_folder, name));
}

std::vector<resources::Manifest> base() {
  auto set = resources::read_manifest_text(read("base.yaml"), "base.yaml");
  REQUIRE(set.errors.empty());
  return std::move(set.manifests);
}

struct Seen {
  std::vector<Json> objects;
  std::set<std::string> warnings;
};

Seen convert_all(const std::vector<resources::Manifest>& input) {
  const auto converted = convert::convert(input, {});
  REQUIRE(converted);
  Seen seen{converted->objects, {}};
  for (const util::Error& warning : converted->warnings) {
    CHECK(warning.pos.line > 0);
    seen.warnings.insert(warning.message);
  }
  return seen;
}

struct Row {
  std::string object, pointer, value, outcome;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const std::string& line : util::split(read("fields.tsv"), '\n')) {
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    const auto cells = util::split(line, '\t');
    REQUIRE_MESSAGE(cells.size() == 4, line);
    rows.push_back({cells[0], cells[1], cells[2], cells[3]});
  }
  return rows;
}

/// Base with the field of a row; the template that only one row names is used by all.
std::vector<resources::Manifest> with_field(const Row& row) {
  auto input = base();
  for (resources::Manifest& manifest : input) {
    const resources::ObjectView view(manifest.object);
    if (util::cat(view.kind(), '/', view.name()) == row.object) {
      manifest.object[Json::json_pointer(row.pointer)] = Json::parse(row.value);
      return input;
    }
  }
  FAIL("no ", row.object);
  return input;
}

std::string outcome_of(const Row& row, const Seen& before, const Seen& now) {
  const std::string field = data::dotted_path(row.pointer);
  const bool warned =
      std::any_of(now.warnings.begin(), now.warnings.end(),
                  [&](const auto& warning) { return !before.warnings.contains(warning); });
  const bool converted = now.objects != before.objects;
  return converted ? warned ? "converted+warned" : "converted" : warned ? "warned" : "same";
}

}  // namespace

TEST_CASE("convert: each field is converted, or a warning says that it is not") {
  const Seen before = convert_all(base());
  for (const Row& row : rows()) {
    CAPTURE(row.object);
    CAPTURE(row.pointer);
    CAPTURE(row.value);
    const Seen now = convert_all(with_field(row));
    CHECK(outcome_of(row, before, now) == row.outcome);
  }
}

TEST_CASE("convert: a field that nobody knows is a warning, wherever it is") {
  for (const std::string object : {"Canary/web", "Rollout/api", "Rollout/switch"}) {
    const Seen now = convert_all(with_field({object, "/spec/nobodyKnows", "{\"a\": 1}", ""}));
    CHECK(now.warnings.contains(
        util::cat(object, ": spec.nobodyKnows: kubist has no counterpart of it")));
  }
}

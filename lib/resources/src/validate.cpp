#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/rules.hpp>
#include <kubist/resources/validate.hpp>
#include <kubist/util/text.hpp>

#include "references.hpp"

namespace kubist::resources {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// Kinds of kubist's group that do not exist, and versions that are not served.
std::optional<util::Error> check_kind(const Manifest& manifest) {
  ObjectView view(manifest.object);
  const Kind* kind = find_kind(view.group(), view.kind());
  if (kind != nullptr && view.version() != k_version) {
    return util::make_error(ErrorKind::invalid, manifest.position("/apiVersion"),
                            cat(view.kind(), " has no version \"", view.version(), '"'),
                            cat("write apiVersion: ", api_version(*kind)));
  }
  if (kind != nullptr || view.group() != k_kubist_group) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const Kind& known : kinds()) {
    if (known.name == view.kind()) {
      return util::make_error(
          ErrorKind::invalid, manifest.position("/apiVersion"),
          cat("the group ", k_kubist_group, " has no kind \"", view.kind(), '"'),
          cat("write apiVersion: ", api_version(known)));
    }
    if (known.group == k_kubist_group) {
      names.emplace_back(known.name);
    }
  }
  auto near = util::nearest(view.kind(), names);
  return util::make_error(
      ErrorKind::invalid, manifest.position("/kind"),
      cat("the group ", k_kubist_group, " has no kind \"", view.kind(), '"'),
      near ? cat("did you mean ", *near, '?') : cat("its kinds are ", util::join(names, ", ")));
}

void check_keys(const Manifest& manifest, std::string_view field, bool values,
                std::vector<util::Error>& errors) {
  for (const auto& [key, value] : data::object_at(manifest.object, {"metadata", field}).items()) {
    std::string pointer = cat("/metadata/", field);
    data::append_token(pointer, key);
    if (std::string wrong = check_qualified_name(key); !wrong.empty()) {
      errors.push_back(
          util::make_error(ErrorKind::invalid, manifest.position(pointer, data::At::key),
                           cat("metadata.", field, ": the key \"", key, "\" ", wrong)));
    }
    std::string wrong = values && value.is_string()
                            ? check_label_value(value.get_ref<const std::string&>())
                            : std::string{};
    if (!wrong.empty()) {
      errors.push_back(
          util::make_error(ErrorKind::invalid, manifest.position(pointer),
                           cat("metadata.", field, ": the value of \"", key, "\" ", wrong)));
    }
  }
}

std::vector<const Manifest*> kubist_manifests(const std::vector<Manifest>& manifests) {
  std::vector<const Manifest*> ours;
  for (const Manifest& manifest : manifests) {
    if (is_kubist_object(manifest.object)) {
      ours.push_back(&manifest);
    }
  }
  return ours;
}

/// What an Execution says of its items.
void check_items(const Manifest& manifest, std::vector<util::Error>& errors) {
  const ObjectView view(manifest.object);
  if (view.kind() != "Execution") {
    return;
  }
  for (ItemProblem& problem : item_problems(view.spec())) {
    errors.push_back(util::make_error(
        ErrorKind::invalid, manifest.position(cat("/spec", problem.pointer)),
        cat(to_string(view.ref()), ": ", problem.message), std::move(problem.hint)));
  }
}

/// By file in the order of the input, then by line: as people read it.
void sort_by_position(const std::vector<Manifest>& manifests, std::vector<util::Error>& errors) {
  std::map<std::string, std::size_t> files;
  for (const Manifest& manifest : manifests) {
    files.emplace(manifest.pos.origin, files.size());
  }
  auto place = [&](const util::Error& error) {
    auto file = files.find(error.pos.origin);
    return std::tuple(file == files.end() ? files.size() : file->second, error.pos.line,
                      error.pos.column);
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const util::Error& a, const util::Error& b) { return place(a) < place(b); });
}

}  // namespace

std::vector<util::Error> validate_object(const Manifest& manifest, const Json* old_object) {
  std::vector<util::Error> errors;
  if (auto wrong = check_kind(manifest)) {
    errors.push_back(std::move(*wrong));
    return errors;
  }
  ObjectView view(manifest.object);
  const data::Schema* compiled = compiled_schema(view.group(), view.kind());
  if (compiled == nullptr) {
    return errors;
  }
  errors = compiled->validate(manifest.object, [&](std::string_view pointer, data::At at) {
    return manifest.position(pointer, at);
  });
  const Json& root = *schema(view.group(), view.kind());
  for (const RuleViolation& violation : check_rules(root, manifest.object, old_object)) {
    errors.push_back(
        util::make_error(ErrorKind::invalid, manifest.position(violation.pointer),
                         cat(violation.pointer.empty() ? std::string(view.kind())
                                                       : data::dotted_path(violation.pointer),
                             ": ", violation.message)));
  }
  check_keys(manifest, "labels", true, errors);
  check_keys(manifest, "annotations", false, errors);
  check_items(manifest, errors);
  return errors;
}

std::vector<util::Error> validate(const std::vector<Manifest>& manifests,
                                  const ValidateContext& context) {
  std::vector<util::Error> errors;
  auto append = [&](std::vector<util::Error>&& more) {
    std::move(more.begin(), more.end(), std::back_inserter(errors));
  };
  for (const Manifest& manifest : manifests) {
    append(validate_object(manifest));
  }
  const std::vector<const Manifest*> ours = kubist_manifests(manifests);
  append(check_references(ours, context));
  append(check_calls(ours, context));
  sort_by_position(manifests, errors);
  return errors;
}

}  // namespace kubist::resources

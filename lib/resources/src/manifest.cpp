#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/source_file.hpp>
#include <kubist/util/text.hpp>

#include "manifest_source.hpp"

namespace kubist::resources {

using data::At;
using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::string_view k_no_api_version_hint =
    "every object starts with apiVersion and kind, e.g. apiVersion: kubist.io/v1alpha1";

bool holds_kubist_object(const Json& value) {
  const Json* items = data::find_path(value, {"items"});
  if (items == nullptr || !items->is_array()) {
    return is_kubist_object(value);
  }
  return std::any_of(items->begin(), items->end(), holds_kubist_object);
}

/// The files that landscaper's controllers start with are no objects, and have no names.
bool configures_landscaper(const ObjectView& view) {
  return view.group().ends_with(cat('.', k_landscaper_group));
}

/// Is the origin of a text the file that it is in, or only its name for people?
enum class Origin { file, name };

/// Reads the documents of one text into a ManifestSet.
class Reader {
 public:
  Reader(ManifestSet& result, Origin origin) : m_result(result), m_origin(origin) {}

  void read(std::shared_ptr<const std::string> text, const std::string& origin) {
    data::ReadOptions limits;
    // Other kinds may repeat keys, as kubectl lets them; in kubist's own that is an error.
    limits.duplicate_keys = data::DuplicateKeys::collect;
    auto documents = data::read_documents(std::move(text), origin, limits);
    if (!documents) {
      m_result.errors.push_back(std::move(documents).error());
      return;
    }
    for (data::Document& document : *documents) {
      if (holds_kubist_object(document.value)) {
        std::move(document.duplicates.begin(), document.duplicates.end(),
                  std::back_inserter(m_result.errors));
      }
      auto lookup = document.lookup();
      Manifest manifest{std::move(document.value), document.start, std::move(lookup), ""};
      flatten(std::move(manifest));
    }
  }

 private:
  void flatten(Manifest&& manifest) {
    if (!manifest.object.is_object()) {
      fail(manifest, "", cat("expected a Kubernetes object, got ", type_name(manifest.object)));
      return;
    }
    ObjectView view(manifest.object);
    Json* items = data::find_path(manifest.object, {"items"});
    bool list = view.kind().ends_with("List") && items != nullptr && items->is_array();
    if (!list) {
      add(std::move(manifest));
      return;
    }
    std::string api_version(view.api_version());
    std::string item_kind(view.kind().substr(0, view.kind().size() - 4));
    for (std::size_t i = 0; i < items->size(); ++i) {
      Manifest item{std::move((*items)[i]), {}, manifest.lookup, manifest.prefix};
      data::append_token(item.prefix, "items");
      data::append_token(item.prefix, i);
      item.pos = manifest.lookup ? manifest.lookup(item.prefix, At::value) : manifest.pos;
      // Items of a typed list may leave out what the list's own kind says.
      if (!item_kind.empty() && item.object.is_object() && !item.object.contains("kind")) {
        item.object["kind"] = item_kind;
        item.object.emplace("apiVersion", api_version);
      }
      flatten(std::move(item));
    }
  }

  void add(Manifest&& manifest) {
    bool sound = require(manifest, "/apiVersion", "apiVersion");
    sound &= require(manifest, "/kind", "kind");
    sound &= check_name(manifest);
    auto taken = take_source_file(manifest.object,
                                  m_origin == Origin::file ? manifest.pos.origin : std::string());
    if (!taken) {
      fail(manifest, "/spec/runtime/jsonnet/sourceFile", taken.error().message, taken.error().hint);
      return;
    }
    manifest.source_file = std::move(*taken);
    if (sound) {
      m_result.manifests.push_back(std::move(manifest));
    }
  }

  bool require(const Manifest& manifest, std::string_view pointer, std::string_view field) {
    const Json* value = data::find(manifest.object, pointer);
    if (value == nullptr || value->is_null()) {
      fail(manifest, "", cat("the object has no ", field), std::string(k_no_api_version_hint));
      return false;
    }
    if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
      fail(manifest, pointer, cat(field, " must be a text that is not empty"));
      return false;
    }
    return true;
  }

  bool check_name(Manifest& manifest) {
    ObjectView view(manifest.object);
    const Json* name = data::find(manifest.object, "/metadata/name");
    if (name == nullptr && configures_landscaper(view)) {
      fail(manifest, "",
           cat(view.kind(), " configures a controller of landscaper, which kubist does not run"),
           "leave it out: docs/how-to/migrate/landscaper.md says what takes its place");
      return false;
    }
    if (name == nullptr || name->is_null()) {
      const bool generated = !view.generate_name().empty();
      fail(manifest, generated ? "/metadata/generateName" : "/metadata",
           cat(view.kind().empty() ? "the object" : view.kind(), " has no metadata.name"),
           generated ? "generateName works with create only: give it a name" : "");
      return false;
    }
    if (!name->is_string()) {
      fail(manifest, "/metadata/name", cat("metadata.name must be a text, got ", type_name(*name)),
           "put it in quotes");
      return false;
    }
    std::string wrong = check_object_name(view.group(), view.kind(), view.name());
    if (!wrong.empty()) {
      fail(manifest, "/metadata/name", cat("the name \"", view.name(), "\" ", wrong));
      return false;
    }
    return check_namespace(manifest);
  }

  bool check_namespace(Manifest& manifest) {
    const Json* ns = data::find(manifest.object, "/metadata/namespace");
    if (ns == nullptr || ns->is_null()) {
      return true;
    }
    std::string wrong = ns->is_string() ? check_dns_label(ns->get_ref<const std::string&>())
                                        : cat("must be a text, got ", type_name(*ns));
    if (!wrong.empty() && !(ns->is_string() && ns->get_ref<const std::string&>().empty())) {
      fail(manifest, "/metadata/namespace", cat("metadata.namespace ", wrong));
      return false;
    }
    drop_namespace(manifest);
    return true;
  }

  /// The API server drops it, too; until then the object would be another one to whoever reads it.
  void drop_namespace(Manifest& manifest) {
    const ObjectView view(manifest.object);
    const Kind* kind = find_kind(view.group(), view.kind());
    if (kind == nullptr || kind->namespaced) {
      return;
    }
    m_result.warnings.push_back(cat(util::to_string(manifest.position("/metadata/namespace")),
                                    ": metadata.namespace of ", to_string(view.ref()),
                                    " is ignored: a ", kind->name, " is cluster-scoped"));
    data::erase_path(manifest.object, {"metadata", "namespace"});
  }

  void fail(const Manifest& manifest, std::string_view pointer, std::string message,
            std::string hint = {}) {
    m_result.errors.push_back(util::make_error(ErrorKind::invalid, manifest.position(pointer),
                                               std::move(message), std::move(hint)));
  }

  static std::string_view type_name(const Json& value) {
    if (value.is_number()) {
      return "a number";
    }
    if (value.is_array()) {
      return "a list";
    }
    if (value.is_object()) {
      return "a map";
    }
    return value.is_boolean() ? "true or false" : value.is_null() ? "nothing" : "a text";
  }

  ManifestSet& m_result;
  Origin m_origin;
};

}  // namespace

util::SourcePos Manifest::position(std::string_view pointer, At at) const {
  return lookup ? lookup(prefix + std::string(pointer), at) : pos;
}

ManifestSet read_manifests(const std::vector<std::string>& paths, const ManifestOptions& options) {
  ManifestSet result;
  Reader reader(result, Origin::file);
  for (const std::string& path : paths) {
    for (auto& source : read_sources(path, options)) {
      if (source) {
        reader.read(std::make_shared<const std::string>(std::move(source->text)), source->origin);
      } else {
        result.errors.push_back(std::move(source).error());
      }
    }
  }
  return result;
}

ManifestSet read_manifest_text(std::string_view text, const std::string& origin) {
  ManifestSet result;
  Reader(result, Origin::name).read(std::make_shared<const std::string>(text), origin);
  return result;
}

}  // namespace kubist::resources

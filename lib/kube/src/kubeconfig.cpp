#include <set>

#include <kubist/data/document.hpp>
#include <kubist/data/json.hpp>
#include <kubist/http/url.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

// Reading, merging and printing of kubeconfig files: client-go tools/clientcmd/loader.go.
namespace kubist::kube {
namespace {

using data::Json;
using util::ErrorKind;

const KubeconfigEntry* find_entry(const std::vector<KubeconfigEntry>& entries,
                                  std::string_view name) {
  const auto entry =
      std::find_if(entries.begin(), entries.end(),
                   [&](const KubeconfigEntry& candidate) { return candidate.name == name; });
  return entry == entries.end() ? nullptr : &*entry;
}

util::Result<> parse_entries(const data::Document& document, const char* list, const char* item,
                             const std::filesystem::path& origin,
                             std::vector<KubeconfigEntry>& out) {
  const auto entries = document.value.find(list);
  if (entries == document.value.end() || entries->is_null()) {
    return {};
  }
  if (!entries->is_array()) {
    return util::fail(ErrorKind::invalid, document.position(util::cat('/', list)),
                      util::cat("kubeconfig: ", list, " must be a list"));
  }
  std::size_t index = 0;
  for (const Json& entry : *entries) {
    const std::string pointer = util::cat('/', list, '/', index++);
    const bool named = entry.is_object() && entry.contains("name") && entry["name"].is_string();
    if (!named) {
      return util::fail(ErrorKind::invalid, document.position(pointer),
                        util::cat("kubeconfig: every one of ", list, " must be a map with a name"));
    }
    Json value = entry.contains(item) ? entry[item] : Json::object();
    if (value.is_null()) {
      value = Json::object();
    }
    if (!value.is_object()) {
      return util::fail(ErrorKind::invalid, document.position(pointer),
                        util::cat("kubeconfig: ", item, " of ", entry["name"].get<std::string>(),
                                  " must be a map"));
    }
    // As Go's conversion of a list to a map: within one file the last one of a name counts.
    const auto name = entry["name"].get<std::string>();
    std::erase_if(out, [&](const KubeconfigEntry& other) { return other.name == name; });
    out.push_back({name, std::move(value), origin});
  }
  return {};
}

void merge_entries(std::vector<KubeconfigEntry>& into, std::vector<KubeconfigEntry> from) {
  for (KubeconfigEntry& entry : from) {
    if (find_entry(into, entry.name) == nullptr) {
      into.push_back(std::move(entry));
    }
  }
}

void redact(Json& value) {
  for (const char* key :
       {"certificate-authority-data", "client-certificate-data", "client-key-data"}) {
    if (value.contains(key)) {
      value[key] = "DATA+OMITTED";
    }
  }
  for (const char* key : {"token", "password"}) {
    if (value.contains(key)) {
      value[key] = "REDACTED";
    }
  }
  if (const auto proxy = value.find("proxy-url"); proxy != value.end() && proxy->is_string()) {
    *proxy = http::redacted(proxy->get_ref<const std::string&>());
  }
  if (value.contains("exec") && value["exec"].is_object() && value["exec"].contains("env") &&
      value["exec"]["env"].is_array()) {
    for (Json& variable : value["exec"]["env"]) {
      if (variable.is_object() && variable.contains("value")) {
        variable["value"] = "REDACTED";
      }
    }
  }
}

Json entries_json(std::vector<KubeconfigEntry> entries, const char* item, bool redacted) {
  std::sort(entries.begin(), entries.end(),
            [](const KubeconfigEntry& a, const KubeconfigEntry& b) { return a.name < b.name; });
  Json list = Json::array();
  for (KubeconfigEntry& entry : entries) {
    if (redacted) {
      redact(entry.value);
    }
    list.push_back({{"name", entry.name}, {item, std::move(entry.value)}});
  }
  return list;
}

}  // namespace

const KubeconfigEntry* Kubeconfig::cluster(std::string_view name) const {
  return find_entry(clusters, name);
}
const KubeconfigEntry* Kubeconfig::user(std::string_view name) const {
  return find_entry(users, name);
}
const KubeconfigEntry* Kubeconfig::context(std::string_view name) const {
  return find_entry(contexts, name);
}

util::Result<Kubeconfig> parse_kubeconfig(std::string_view text,
                                          const std::filesystem::path& origin) {
  Kubeconfig config;
  config.files.push_back(origin);
  data::ReadOptions options;
  options.duplicate_keys = data::DuplicateKeys::last_wins;
  KUBIST_TRY(const auto documents, data::read_documents(text, origin.string(), options));
  if (documents.empty()) {
    return config;  // an empty file is an empty configuration
  }
  const data::Document& document = documents.front();
  if (documents.size() > 1) {
    return util::fail(ErrorKind::invalid, documents[1].start, "a kubeconfig is one document");
  }
  if (!document.value.is_object()) {
    return util::fail(ErrorKind::invalid, document.start, "not a kubeconfig: it must be a map",
                      "A kubeconfig has the fields clusters, users, contexts and current-context.");
  }
  if (const auto kind = document.value.find("kind");
      kind != document.value.end() && kind->is_string() &&
      !kind->get_ref<const std::string&>().empty() && *kind != "Config") {
    return util::fail(
        ErrorKind::invalid, document.position("/kind"),
        util::cat("not a kubeconfig: kind is ", kind->get<std::string>(), ", not Config"));
  }
  KUBIST_CHECK(parse_entries(document, "clusters", "cluster", origin, config.clusters));
  KUBIST_CHECK(parse_entries(document, "users", "user", origin, config.users));
  KUBIST_CHECK(parse_entries(document, "contexts", "context", origin, config.contexts));
  if (const auto current = document.value.find("current-context");
      current != document.value.end() && !current->is_null()) {
    if (!current->is_string()) {
      return util::fail(ErrorKind::invalid, document.position("/current-context"),
                        "kubeconfig: current-context must be a string");
    }
    config.current_context = current->get<std::string>();
  }
  return config;
}

Kubeconfig merge_kubeconfigs(std::vector<Kubeconfig> configs) {
  Kubeconfig merged;
  for (Kubeconfig& config : configs) {
    merge_entries(merged.clusters, std::move(config.clusters));
    merge_entries(merged.users, std::move(config.users));
    merge_entries(merged.contexts, std::move(config.contexts));
    if (merged.current_context.empty()) {
      merged.current_context = std::move(config.current_context);
    }
    merged.files.insert(merged.files.end(), config.files.begin(), config.files.end());
  }
  return merged;
}

Json to_json(const Kubeconfig& config, bool redacted) {
  return {{"apiVersion", "v1"},
          {"kind", "Config"},
          {"clusters", entries_json(config.clusters, "cluster", redacted)},
          {"users", entries_json(config.users, "user", redacted)},
          {"contexts", entries_json(config.contexts, "context", redacted)},
          {"current-context", config.current_context}};
}

Environment process_environment() {
  return {[](const char* name) { return util::environment(name); },
          [](const std::filesystem::path& path) { return util::read_file(path); },
          util::home_folder()};
}

std::vector<std::filesystem::path> kubeconfig_files(const Overrides& overrides,
                                                    const Environment& env) {
  if (!overrides.kubeconfig.empty()) {
    return {overrides.kubeconfig};
  }
  const std::string list = env.variable("KUBECONFIG");
  std::vector<std::filesystem::path> files;
  if (list.empty() && !env.home.empty()) {
    files.push_back(env.home / ".kube" / "config");
  }
  std::set<std::string> seen;
  for (const std::string& file : util::split(list, ':')) {
    if (!file.empty() && seen.insert(file).second) {
      files.emplace_back(file);
    }
  }
  return files;
}

util::Result<Kubeconfig> load_kubeconfig(const Overrides& overrides, const Environment& env) {
  std::vector<Kubeconfig> configs;
  for (const std::filesystem::path& file : kubeconfig_files(overrides, env)) {
    auto text = env.read_file(file);
    if (!text && text.error().kind == ErrorKind::not_found && overrides.kubeconfig.empty()) {
      continue;
    }
    if (!text) {
      return util::fail(util::with_context(std::move(text).error(), "kubeconfig"));
    }
    KUBIST_TRY(Kubeconfig config, parse_kubeconfig(*text, file));
    configs.push_back(std::move(config));
  }
  return merge_kubeconfigs(std::move(configs));
}

}  // namespace kubist::kube

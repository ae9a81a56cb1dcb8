#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_edit.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/kube/kubeconfig_edit.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

// Changes to kubeconfig files. Only what changes is rewritten, so that comments, order and unknown
// fields stay as the user has them.
namespace kubist::kube {
namespace {

constexpr std::string_view k_key = "current-context:";

/// A kubeconfig in JSON.
bool is_json(std::string_view text) { return util::trim(text).starts_with('{'); }

/// The text with its top-level current-context set; JSON kubeconfigs are rewritten.
util::Result<std::string> with_context_set(const std::string& text, const std::string& file,
                                           const std::string& name) {
  const std::string quoted = data::Json(name).dump();  // a JSON string is a YAML string
  if (is_json(text)) {
    KUBIST_TRY(data::Json value, data::parse_json(text, file));
    value["current-context"] = name;
    return value.dump(2) + '\n';
  }
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, k_key.size(), k_key) == 0) {
      return text.substr(0, at) + util::cat(k_key, ' ', quoted) + text.substr(end);
    }
    at = end + 1;
  }
  return text +
         util::cat(text.empty() || text.ends_with('\n') ? "" : "\n", k_key, ' ', quoted, '\n');
}

/// Through a symbolic link, or the rename would replace the link by a file.
std::filesystem::path real_file(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto real = std::filesystem::canonical(file, ignored);
  return real.empty() ? file : real;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

/// Where a new entry goes, as kubectl has it.
util::Result<std::filesystem::path> file_of_new(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) {
    return util::fail(util::ErrorKind::not_found, "there is no kubeconfig to write to",
                      "Name one with --kubeconfig or $KUBECONFIG.");
  }
  const auto found = std::find_if(files.begin(), files.end(), is_there);
  return found == files.end() ? files.back() : *found;
}

void apply_change(data::Json& config, const ContextChange& change) {
  data::Json& contexts = config["contexts"];
  if (!contexts.is_array()) {
    contexts = data::Json::array();
  }
  auto entry = std::find_if(contexts.begin(), contexts.end(), [&](const data::Json& one) {
    return data::string_at(one, {"name"}) == change.name;
  });
  if (entry == contexts.end()) {
    contexts.push_back({{"name", change.name}, {"context", {{"cluster", ""}, {"user", ""}}}});
    entry = std::prev(contexts.end());
  }
  const auto set = [&](std::string_view key, const std::optional<std::string>& value) {
    if (value) {
      data::set_path(*entry, {"context", key}, *value);
    }
  };
  set("cluster", change.cluster);
  set("user", change.user);
  set("namespace", change.ns);
  if (change.ns && change.ns->empty()) {
    data::erase_path(*entry, {"context", "namespace"});
  }
}

/// Where the contexts are written in block style, all else stays to the byte.
util::Result<std::string> changed_text(const std::string& text, const std::string& file,
                                       const ContextChange& change) {
  KUBIST_TRY(const auto documents, data::read_documents(text, file));
  data::Json config =
      documents.empty() ? data::Json{{"apiVersion", "v1"}, {"kind", "Config"}} : documents[0].value;
  apply_change(config, change);
  if (is_json(text)) {
    return config.dump(2) + '\n';
  }
  if (!documents.empty()) {
    if (auto edited = data::replace_value(documents[0], "/contexts", config["contexts"])) {
      return edited;
    }
  }
  return data::to_yaml(config);
}

}  // namespace

util::Result<bool> set_context(const Overrides& overrides, const Environment& env,
                               const ContextChange& change) {
  const auto files = kubeconfig_files(overrides, env);
  Kubeconfig known;
  if (overrides.kubeconfig.empty() || is_there(overrides.kubeconfig)) {
    KUBIST_TRY(known, load_kubeconfig(overrides, env));
  }
  const KubeconfigEntry* entry = known.context(change.name);
  std::filesystem::path file;
  if (entry != nullptr) {
    file = entry->origin;
  } else {
    KUBIST_TRY(file, file_of_new(files));
  }
  std::string text;
  if (is_there(file)) {
    KUBIST_TRY(text, env.read_file(file));
  }
  KUBIST_TRY(const std::string changed, changed_text(text, file.string(), change));
  KUBIST_CHECK(util::write_file(real_file(file), changed, 0600));
  return entry == nullptr;
}

util::Result<> use_context(const Overrides& overrides, const Environment& env,
                           const std::string& name) {
  const std::vector<std::filesystem::path> files = kubeconfig_files(overrides, env);
  KUBIST_TRY(const Kubeconfig config, load_kubeconfig(overrides, env));
  if (config.context(name) == nullptr) {
    std::vector<std::string> names;
    for (const KubeconfigEntry& context : config.contexts) {
      names.push_back(context.name);
    }
    return util::fail(
        util::ErrorKind::not_found,
        util::cat("no context \"", name, "\" in the kubeconfig", util::did_you_mean(name, names)),
        "See `kubist config get-contexts`.");
  }
  // The first file that sets a current-context would win over any other: that one is changed, else
  // the one that has the context.
  std::filesystem::path target = config.context(name)->origin;
  for (const std::filesystem::path& file : files) {
    const auto text = env.read_file(file);
    const auto parsed =
        text ? parse_kubeconfig(*text, file) : util::Result<Kubeconfig>(Kubeconfig{});
    if (parsed && !parsed->current_context.empty()) {
      target = file;
      break;
    }
  }
  target = real_file(target);
  KUBIST_TRY(const std::string text, env.read_file(target));
  KUBIST_TRY(const std::string changed, with_context_set(text, target.string(), name));
  return util::write_file(target, changed, 0600);
}

}  // namespace kubist::kube

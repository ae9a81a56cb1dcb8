#include <kubist/data/document.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

// Changes to kubeconfig files. Only the line of current-context is rewritten, so that comments,
// order and unknown fields stay as the user has them.
namespace kubist::kube {
namespace {

constexpr std::string_view k_key = "current-context:";

/// The text with its top-level current-context set; JSON kubeconfigs are written anew.
util::Result<std::string> with_context_set(const std::string& text, const std::string& file,
                                           const std::string& name) {
  const std::string quoted = data::Json(name).dump();  // a JSON string is a YAML string
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
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

}  // namespace

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
  // Through a symbolic link, or the rename would replace the link by a file.
  std::error_code ignored;
  if (const auto real = std::filesystem::canonical(target, ignored); !real.empty()) {
    target = real;
  }
  KUBIST_TRY(const std::string text, env.read_file(target));
  KUBIST_TRY(const std::string changed, with_context_set(text, target.string(), name));
  return util::write_file(target, changed, 0600);
}

}  // namespace kubist::kube

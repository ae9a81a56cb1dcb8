#include "names.hpp"

#include <cctype>
#include <chrono>
#include <set>

#include <kubist/data/json_stream.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/text.hpp>

#include "bind.hpp"
#include "policy_io.hpp"
#include "reasons.hpp"
#include "targets.hpp"

namespace kubist::cli {
namespace {

constexpr std::chrono::milliseconds k_patience{1500};
constexpr std::int64_t k_max_names = 2000;  // more help nobody

/// The words typed so far, as far as they matter here.
struct Typed {
  kube::Overrides overrides;
  bool all_namespaces = false;
  std::vector<std::string> positional;  ///< without the command's path and without flags
  std::string last;
};

void set_override(kube::Overrides& overrides, std::string_view flag, const std::string& value) {
  if (flag == "kubeconfig") {
    overrides.kubeconfig = value;
  } else if (flag == "context") {
    overrides.context = value;
  } else if (flag == "cluster") {
    overrides.cluster = value;
  } else if (flag == "user") {
    overrides.user = value;
  } else if (flag == "namespace") {
    overrides.ns = value;
  } else if (flag == "server") {
    overrides.server = value;
  }
}

Typed read_words(const std::vector<std::string>& words) {
  Typed typed;
  typed.last = words.back();
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  const CommandSpec* spec = find_command(before);
  const std::size_t path = spec == nullptr ? 0 : util::split(spec->path, ' ').size();
  for (std::size_t i = path; i < before.size(); ++i) {
    const std::string& word = before[i];
    if (!word.starts_with('-')) {
      typed.positional.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const Flag* flag = find_flag(spec, word.substr(0, equals));
    if (flag == nullptr) {
      continue;
    }
    typed.all_namespaces = typed.all_namespaces || flag->name == "all-namespaces";
    if (equals != std::string::npos) {
      set_override(typed.overrides, flag->name, word.substr(equals + 1));
    } else if (takes_next_word(*flag) && i + 1 < before.size()) {
      set_override(typed.overrides, flag->name, before[++i]);
    }
  }
  return typed;
}

std::vector<Candidate> entries(const std::vector<kube::KubeconfigEntry>& all) {
  std::vector<Candidate> names;
  for (const kube::KubeconfigEntry& entry : all) {
    names.push_back({entry.name, ""});
  }
  return names;
}

std::vector<Candidate> from_kubeconfig(Completes what, const Typed& typed) {
  const auto config = kube::load_kubeconfig(typed.overrides, kube::process_environment());
  if (!config) {
    return {};
  }
  return entries(what == Completes::contexts   ? config->contexts
                 : what == Completes::clusters ? config->clusters
                                               : config->users);
}

class ClusterNames {
 public:
  ClusterNames(kube::Client& client, const Typed& typed, std::stop_token stop)
      : m_client(client), m_typed(typed), m_stop(std::move(stop)) {}

  std::vector<Candidate> types() {
    const auto index = m_client.discovery().index(m_stop);
    std::vector<Candidate> names;
    std::set<std::string> seen;
    if (index) {
      for (const kube::ApiResource& resource : (*index)->all()) {
        if (resource.has_verb("list") && seen.insert(resource.plural).second) {
          names.push_back({resource.plural, resource.api_version()});
        }
      }
    }
    return names;
  }

  std::vector<Candidate> objects(const kube::ApiResource& resource, std::string_view prefix) {
    std::vector<Candidate> names;
    kube::ListOptions list;
    list.form = kube::Form::metadata;
    list.max_objects = k_max_names;
    const std::string ns = resource.namespaced && !m_typed.all_namespaces
                               ? m_client.default_namespace()
                               : std::string();
    const auto add = [&](const data::ListItem& item) -> util::Result<> {
      names.push_back({util::cat(prefix, item.name), ""});
      return {};
    };
    const auto listed = m_client.list_items(resource, ns, list, add, m_stop);
    return listed ? names : std::vector<Candidate>();
  }

  std::vector<Candidate> objects_of_word(const std::string& word, std::string_view prefix) {
    const auto resource = find_resource(m_client, word, m_stop);
    return resource ? objects(*resource, prefix) : std::vector<Candidate>();
  }

  std::vector<Candidate> names() {
    const std::size_t slash = m_typed.last.find('/');
    if (slash != std::string::npos) {
      return objects_of_word(m_typed.last.substr(0, slash), m_typed.last.substr(0, slash + 1));
    }
    if (m_typed.positional.empty() || m_typed.positional[0].find('/') != std::string::npos) {
      return types();
    }
    return objects_of_word(m_typed.positional[0], "");
  }

 private:
  kube::Client& m_client;
  const Typed& m_typed;
  std::stop_token m_stop;
};

/// The kinds of the tree; commands about them say KIND/NAME in their usage.
std::vector<Candidate> node_kinds() {
  std::vector<Candidate> names;
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node) {
      names.push_back({util::cat(kind.name, '/'), ""});
    }
  }
  return names;
}

/// What is explained without a server, besides kubist's kinds.
std::vector<Candidate> explained_words() {
  std::vector<Candidate> names;
  for (const auto& words : {policy_io_names(), reason_names()}) {
    for (const std::string& word : words) {
      names.push_back({word, ""});
    }
  }
  return names;
}

bool takes_nodes(const CommandSpec* spec) {
  return spec != nullptr && spec->arguments.find("KIND/NAME") != std::string_view::npos;
}

std::vector<Candidate> from_cluster(Completes what, const Typed& typed) {
  auto access = kube::find_access(typed.overrides, kube::process_environment());
  if (!access) {
    return {};
  }
  kube::ClientOptions options;
  options.retry = false;
  options.on_warning = [](std::string_view) {};
  const auto client = kube::Client::connect(std::move(*access), options);
  if (!client) {
    return {};
  }
  const util::Deadline deadline(k_patience, {});
  ClusterNames names(**client, typed, deadline.token());
  switch (what) {
    case Completes::resource_types:
    case Completes::explained:
      return names.types();
    case Completes::namespaces:
      return names.objects(kube::well_known::namespaces(), "");
    case Completes::deploy_items:
      return names.objects_of_word("deployitems", "");
    case Completes::canaries:
      return names.objects_of_word("canaryreleases", "");
    case Completes::experiments:
      return names.objects_of_word("experiments", "");
    default:
      return names.names();
  }
}

}  // namespace

std::vector<Candidate> complete_names(Completes what, const std::vector<std::string>& words) {
  const Typed typed = read_words(words);
  switch (what) {
    case Completes::contexts:
    case Completes::clusters:
    case Completes::users:
      return from_kubeconfig(what, typed);
    case Completes::explained:  // reasons begin with a capital letter, and are asked of nobody
      return typed.last.empty() || std::isupper(static_cast<unsigned char>(typed.last[0])) == 0
                 ? from_cluster(what, typed)
                 : explained_words();
    case Completes::resource_names:
      return takes_nodes(find_command(words)) && typed.last.find('/') == std::string::npos
                 ? node_kinds()
                 : from_cluster(what, typed);
    default:
      return from_cluster(what, typed);
  }
}

}  // namespace kubist::cli

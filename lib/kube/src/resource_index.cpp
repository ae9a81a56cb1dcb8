#include <kubist/kube/discovery.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

ResourceIndex::ResourceIndex(std::vector<ApiResource> resources)
    : m_resources(std::move(resources)) {
  m_by_kind.reserve(m_resources.size());
  m_by_word.reserve(m_resources.size() * 4);
  for (std::size_t i = 0; i < m_resources.size(); ++i) {
    const ApiResource& resource = m_resources[i];
    const std::string kind = util::lower(resource.kind);
    m_by_kind.emplace(kind, i);
    m_by_word.emplace(resource.plural, i);
    if (!resource.singular.empty() && resource.singular != kind) {
      m_by_word.emplace(util::lower(resource.singular), i);
    }
    m_by_word.emplace(kind, i);
    for (const std::string& name : resource.short_names) {
      m_by_word.emplace(util::lower(name), i);
    }
  }
}

const ApiResource* ResourceIndex::by_kind(std::string_view group, std::string_view version,
                                          std::string_view kind) const {
  const auto [begin, end] = m_by_kind.equal_range(util::lower(kind));
  const ApiResource* best = nullptr;
  for (auto entry = begin; entry != end; ++entry) {
    const ApiResource& resource = m_resources[entry->second];
    // Pointers into one vector: the smaller one is preferred.
    if (resource.kind == kind && resource.group == group &&
        (version.empty() || resource.version == version) && (best == nullptr || &resource < best)) {
      best = &resource;
    }
  }
  return best;
}

const ApiResource* ResourceIndex::find_word(std::string_view word, std::string_view version,
                                            std::string_view group) const {
  const auto [begin, end] = m_by_word.equal_range(std::string(word));
  const ApiResource* best = nullptr;
  int best_rank = 0;
  for (auto entry = begin; entry != end; ++entry) {
    const ApiResource& resource = m_resources[entry->second];
    const bool in_group = group.ends_with('*')
                              ? resource.group.starts_with(group.substr(0, group.size() - 1))
                              : resource.group == group;
    if ((!version.empty() && resource.version != version) || !in_group) {
      continue;
    }
    // Short names yield to names, as in kubectl.
    const int rank = resource.plural == word || util::iequals(resource.singular, word) ||
                             util::iequals(resource.kind, word)
                         ? 0
                         : 1;
    if (best == nullptr || rank < best_rank || (rank == best_rank && &resource < best)) {
      best = &resource;
      best_rank = rank;
    }
  }
  return best;
}

const ApiResource* ResourceIndex::by_word(std::string_view given) const {
  const std::string word = util::lower(given);
  const auto dot = word.find('.');
  if (dot == std::string::npos) {
    return find_word(word, "", "*");
  }
  const std::string_view name = std::string_view(word).substr(0, dot);
  const std::string_view rest = std::string_view(word).substr(dot + 1);
  if (const ApiResource* found = find_word(name, "", rest)) {
    return found;
  }
  const auto second = rest.find('.');
  const std::string_view group = second == std::string_view::npos ? "" : rest.substr(second + 1);
  const ApiResource* found = find_word(name, rest.substr(0, second), group);
  return found != nullptr ? found : find_word(name, "", util::cat(rest, '*'));
}

std::vector<const ApiResource*> ResourceIndex::by_category(std::string_view category) const {
  std::vector<const ApiResource*> found;
  for (const ApiResource& resource : m_resources) {
    const auto& all = resource.categories;
    if (std::find(all.begin(), all.end(), category) != all.end() &&
        by_kind(resource.group, "", resource.kind) == &resource) {
      found.push_back(&resource);
    }
  }
  return found;
}

bool ResourceIndex::has_group(std::string_view group) const {
  return std::any_of(m_resources.begin(), m_resources.end(),
                     [&](const ApiResource& resource) { return resource.group == group; });
}

std::vector<std::string> ResourceIndex::words() const {
  std::vector<std::string> words;
  words.reserve(m_by_word.size());
  for (const auto& entry : m_by_word) {
    words.push_back(entry.first);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace kubist::kube

#include "position_index.hpp"

#include <kubist/data/pointer.hpp>

namespace kubist::data {

using util::Result;

PositionIndex::PositionIndex() : m_impl(std::make_shared<Impl>()) {}
PositionIndex::PositionIndex(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}

std::size_t PositionIndex::size() const { return m_impl->nodes.size(); }

util::SourcePos PositionIndex::find(std::string_view pointer, At at) const {
  std::string key(pointer);
  for (;;) {
    if (const auto found = m_impl->nodes.find(key); found != m_impl->nodes.end()) {
      const auto& marks = found->second;
      const Mark mark = at == At::key && marks.key.line > 0 ? marks.key : marks.value;
      return {m_impl->fallback.origin, mark.line, mark.column};
    }
    if (key.empty()) {
      return m_impl->fallback;
    }
    const auto slash = key.rfind('/');
    key.resize(slash == key.npos ? 0 : slash);
    at = At::value;
  }
}

/// Completes m_pointer for the value that comes and notes its marks.
void PositionIndexer::enter() {
  Mark key;
  if (!m_levels.empty()) {
    Level& level = m_levels.back();
    if (level.list) {
      m_pointer.resize(level.length);
      append_token(m_pointer, level.next++);
    } else {
      key = level.key;
    }
  }
  m_index.nodes.try_emplace(m_pointer, PositionIndex::Impl::Marks{key, m_marks.mark()});
}

Result<> PositionIndexer::begin(bool list) {
  enter();
  m_levels.push_back({m_pointer.size(), list, 0, {}});
  return {};
}

Result<> PositionIndexer::end() {
  m_pointer.resize(m_levels.back().length);
  m_levels.pop_back();
  return {};
}

Result<> PositionIndexer::leaf() {
  enter();
  return {};
}

Result<> PositionIndexer::key(std::string_view text, bool) {
  Level& level = m_levels.back();
  m_pointer.resize(level.length);
  append_token(m_pointer, text);
  level.key = m_marks.mark();
  return {};
}

}  // namespace kubist::data

#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "event_sink.hpp"

namespace kubist::data {

struct PositionIndex::Impl {
  struct Marks {
    Mark key;
    Mark value;
  };
  std::unordered_map<std::string, Marks> nodes;
  util::SourcePos fallback;
};

/// Collects the marks of a document's nodes by JSON pointer.
class PositionIndexer final : public EventSink {
 public:
  PositionIndexer(PositionIndex::Impl& index, MarkSource& marks) : m_index(index), m_marks(marks) {}

  util::Result<> begin_map(std::string_view) override { return begin(false); }
  util::Result<> end_map() override { return end(); }
  util::Result<> begin_list(std::string_view) override { return begin(true); }
  util::Result<> end_list() override { return end(); }
  util::Result<> key(std::string_view text, bool merge) override;
  util::Result<> scalar(Json&&, std::string_view) override { return leaf(); }
  util::Result<> alias(std::string_view) override { return leaf(); }

 private:
  struct Level {
    std::size_t length;  ///< of m_pointer up to here
    bool list;
    std::size_t next = 0;
    Mark key;
  };
  util::Result<> begin(bool list);
  util::Result<> end();
  util::Result<> leaf();
  void enter();

  PositionIndex::Impl& m_index;
  MarkSource& m_marks;
  std::string m_pointer;
  std::vector<Level> m_levels;
};

}  // namespace kubist::data

#pragma once
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/data/position.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {

/// Where the reader stands. Computed only when asked: for JSON it costs a scan.
class MarkSource {
 public:
  virtual ~MarkSource() = default;
  /// The first character of the current event.
  virtual Mark mark() = 0;
};

/// What both readers (YAML, JSON) tell about a document; scalars and keys arrive resolved.
/// `anchor` is empty where there is none. Views live for the call.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual util::Result<> begin_map(std::string_view anchor) = 0;
  virtual util::Result<> end_map() = 0;
  virtual util::Result<> begin_list(std::string_view anchor) = 0;
  virtual util::Result<> end_list() = 0;
  /// The key of the value that comes next; `merge` for a plain "<<".
  virtual util::Result<> key(std::string_view text, bool merge) = 0;
  virtual util::Result<> scalar(Json&& value, std::string_view anchor) = 0;
  virtual util::Result<> alias(std::string_view anchor) = 0;
};

}  // namespace kubist::data

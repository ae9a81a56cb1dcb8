#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/document.hpp>

#include "event_sink.hpp"

namespace kubist::data {

/// Builds the value of one document from its events, within the limits of `options`.
class TreeBuilder final : public EventSink {
 public:
  TreeBuilder(const ReadOptions& options, const std::string& origin, MarkSource& marks);

  util::Result<> begin_map(std::string_view anchor) override;
  util::Result<> end_map() override { return end_container(); }
  util::Result<> begin_list(std::string_view anchor) override;
  util::Result<> end_list() override { return end_container(); }
  util::Result<> key(std::string_view text, bool merge) override;
  util::Result<> scalar(Json&& value, std::string_view anchor) override;
  util::Result<> alias(std::string_view anchor) override;

  /// The finished document; the builder is empty again afterwards.
  Json take();
  /// The duplicate keys of the document that is taken next (DuplicateKeys::collect).
  std::vector<util::Error> take_duplicates() { return std::exchange(m_duplicates, {}); }

 private:
  struct Frame {
    Json* node;
    Json* slot = nullptr;                            ///< where the value of the current key goes
    bool merging = false;                            ///< the value that comes is that of "<<"
    std::unique_ptr<Json> merge_value;               ///< where it is built
    std::set<std::string, std::less<>> merged_keys;  ///< may be set again without being duplicates
    std::string anchor;
    std::size_t first_node = 0;  ///< m_nodes before it
    std::size_t height = 1;      ///< levels below, itself included
  };
  struct Anchored {
    Json value;
    std::size_t nodes;
    std::size_t height;
  };

  util::Result<> begin(Json&& empty, std::string_view anchor);
  util::Result<> end_container();
  util::Result<Json*> place(Json&& value);
  util::Result<> finish(const Json& node, std::string_view anchor, std::size_t nodes,
                        std::size_t height);
  util::Result<> merge(Frame& frame);
  util::Result<> merge_map(Frame& frame, const Json& from);
  util::Result<> count_aliased(std::size_t nodes);
  tl::unexpected<util::Error> error(std::string message, std::string hint = {});

  const ReadOptions& m_options;
  const std::string& m_origin;
  MarkSource& m_marks;
  Json m_root;
  std::vector<util::Error> m_duplicates;
  std::vector<Frame> m_frames;
  std::map<std::string, Anchored, std::less<>> m_anchors;
  std::size_t m_nodes = 0;
  std::size_t m_aliased = 0;
};

}  // namespace kubist::data

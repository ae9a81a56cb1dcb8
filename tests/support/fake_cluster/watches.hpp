#pragma once
#include <list>
#include <memory>
#include <string>

#include <kubist/http/transport.hpp>

#include "store.hpp"

namespace kubist::testing {

/// What a list or a watch is about.
struct FakeFilter {
  KindKey kind;
  std::string ns;
  std::string label_selector, field_selector;
  bool metadata_only = false;

  bool takes(const data::Json& object) const;
  data::Json form(const data::Json& object) const;
};

/// The watches that are open. Their receivers are told under the lock of whoever calls: they are
/// quick.
class FakeWatches {
 public:
  struct Open {
    FakeFilter filter;
    http::Request request;
    http::Done done;
  };
  using Place = std::shared_ptr<Open>;

  Place open(FakeFilter filter, http::Request request, http::Done done);
  void tell(const FakeEvent& event);
  /// One event of that kind to one watch, where it concerns it.
  static void tell(const Open& watch, const FakeEvent& event);
  static void send(const Open& watch, const std::string& type, const data::Json& object);
  void bookmark(std::int64_t version);
  /// True: it was open, and is no more; the caller ends it.
  bool close(const Place& place);
  std::list<Place> take_all();
  std::size_t count() const { return m_open.size(); }

 private:
  std::list<Place> m_open;
};

}  // namespace kubist::testing

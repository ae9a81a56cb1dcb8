#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

#include "answer.hpp"
#include "fields.hpp"
#include "kinds.hpp"
#include "store.hpp"
#include "watches.hpp"

namespace kubist::testing {

/// What the fake does with one request; throws a Refusal. Not thread-safe.
class FakeServer {
 public:
  explicit FakeServer(FakeStore::Listener listener) : m_store(std::move(listener)) {}

  /// Everything but a watch.
  http::Response serve(const FakeRequest& request);
  FakeFilter filter_of(const FakeRequest& request);

  FakeKinds& kinds() { return m_kinds; }
  FakeStore& store() { return m_store; }
  /// Continue tokens that were given out so far are too old from here on.
  void expire_pages() { m_pages.clear(); }
  /// Access reviews say no to that verb, but to who is impersonated.
  void deny(const std::string& verb) { m_denied.insert(verb); }
  void allow(const std::string& verb) { m_denied.erase(verb); }
  std::string fresh_uid();

 private:
  const FakeKind& kind_of(const FakeRequest& request) const;
  /// What the server keeps no objects of: it answers at once.
  std::optional<data::Json> review(const FakeRequest& request) const;
  http::Response read(const FakeRequest& request, const FakeKind& kind);
  http::Response list(const FakeRequest& request, const FakeKind& kind);
  http::Response create(const FakeRequest& request, const FakeKind& kind);
  http::Response replace(const FakeRequest& request, const FakeKind& kind);
  http::Response patch(const FakeRequest& request, const FakeKind& kind);
  http::Response apply(const FakeRequest& request, const FakeKind& kind);
  http::Response remove(const FakeRequest& request, const FakeKind& kind);

  /// What is there; throws 404.
  const data::Json& live(const FakeRequest& request, const FakeKind& kind) const;
  /// Fills in, checks and keeps what a POST or a first apply makes.
  http::Response make(const FakeRequest& request, const FakeKind& kind, data::Json object,
                      const std::optional<FieldSet>& applied);
  /// The same with what a request makes of an object that is there.
  http::Response change(const FakeRequest& request, const FakeKind& kind, const data::Json& before,
                        data::Json after, const std::optional<FieldSet>& applied);
  /// Refuses what a request may not change of it.
  static void check_change(const FakeRequest& request, const FakeKind& kind,
                           const data::Json& before, const data::Json& after);
  FieldWriter writer_of(const FakeRequest& request, const FakeKind& kind) const;
  /// managedFields; throws the conflicts of an apply.
  void own(const FakeRequest& request, const FakeKind& kind, const data::Json& before,
           data::Json& after, const std::optional<FieldSet>& applied) const;
  void check_namespace(const FakeRequest& request) const;

  /// Finalizers hold it; without any it goes, and what belongs to it.
  data::Json begin_deletion(const FakeKind& kind, data::Json object);
  void go(const FakeKind& kind, const data::Json& object);
  /// A namespace that ends takes all in it along, and waits for what is held.
  void empty_namespace(const std::string& ns);
  void end_namespace(const std::string& ns);
  void collect_garbage_of(const std::string& uid);
  const FakeKind* kind_of(const KindKey& key, const data::Json& object) const;

  FakeKinds m_kinds;
  FakeStore m_store;
  struct Page {
    std::vector<data::Json> rest;
    std::string version;
  };
  std::map<std::string, Page> m_pages;  ///< by continue token
  std::set<std::string> m_denied;       ///< verbs, of access reviews
  int m_tokens = 0;
  int m_names = 0;
};

/// RFC 3339, now.
std::string time_now();
/// "plural.group".
KindKey key_of(const FakeKind& kind);

// What the server does to an object on its way in (admission.cpp).

/// Namespaces, Secrets, Services and the defaults of schemas.
void fill_in(const FakeKind& kind, data::Json& object);
/// Throws 422 for wrong names, labels, fields and rules, 400 for unknown fields. `before` null:
/// new.
void check_object(const FakeRequest& request, const FakeKind& kind, data::Json& object,
                  const data::Json* before);

}  // namespace kubist::testing

#pragma once
#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/kube/api_resource.hpp>

namespace kubist::testing {

/// A kind that the fake serves.
struct FakeKind {
  kube::ApiResource resource;
  bool custom = false;                         ///< of a CustomResourceDefinition
  bool generation = false;                     ///< counts changes of what is not metadata or status
  std::shared_ptr<const data::Schema> schema;  ///< of the whole object, custom kinds only
  std::shared_ptr<const data::Json> raw_schema;  ///< the same as the CRD has it, for its CEL rules

  bool has_status() const { return resource.has_subresource("status"); }
};

/// What a part of an object is to the API server: says which of its lists and maps are merged.
/// Custom kinds say it in their schema, built-in ones by the names of their fields (those of
/// k8s.io/api that tests use).
class Shape {
 public:
  /// The whole object.
  explicit Shape(const FakeKind& kind)
      : m_schema(kind.schema ? &kind.schema->root() : nullptr), m_custom(kind.custom) {}

  Shape child(std::string_view key) const;
  Shape item() const;
  /// A map's entries are its own (labels), a struct's fields are its type's.
  bool has_own_keys(std::string_view key) const;
  bool atomic_map() const;
  bool set() const;
  /// The fields that tell items of a merged list apart; empty: the list is no such one.
  std::vector<std::string> keys(const data::Json& list) const;

 private:
  Shape(const data::SchemaNode* schema, bool custom, std::string field)
      : m_schema(schema), m_custom(custom), m_field(std::move(field)) {}
  const data::SchemaNode* m_schema;
  bool m_custom;
  std::string m_field;
};

/// All kinds of one fake server, and its discovery documents.
class FakeKinds {
 public:
  /// Built-in ones that tests need.
  FakeKinds();
  /// Serves the versions that the CRD serves. An existing kind is replaced.
  void add_crd(const data::Json& crd);
  void remove_crd(std::string_view group, std::string_view plural);
  /// The server behind a group is down, or up again: discovery knows its versions and no more.
  void silence(const std::string& group, bool silent);
  bool is_silent(const std::string& group) const { return m_silent.contains(group); }
  /// Null: not served. Valid until the kind is removed.
  const FakeKind* find(std::string_view group, std::string_view version,
                       std::string_view plural) const;
  /// Aggregated discovery of the core group, or of all others.
  data::Json discovery(bool core) const;

 private:
  void add(kube::ApiResource resource, bool generation, std::vector<std::string> short_names = {});
  std::list<FakeKind> m_kinds;  ///< a list: who removes a CRD holds the kind of CRDs
  std::set<std::string> m_silent;
};

}  // namespace kubist::testing

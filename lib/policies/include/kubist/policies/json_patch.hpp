#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// JsonPatch: sets labels and fields of the spec that the executor aligns to; the user's object is
/// never written.
///
///   policies:
///     - name: JsonPatch
///       parameters:
///         labels: {team: shop}           # merged into spec.labels
///         annotations: {}                # merged into spec.annotations
///         set: {replicas: 3}             # merged into spec (RFC 7386; null removes)
///         patch:                         # RFC 6902 on the resource, paths below /spec
///           - {op: replace, path: /spec/create, value: true}
///
/// Applied in this order. A failed `test` operation is an error.
Builtin json_patch();

}  // namespace kubist::policies

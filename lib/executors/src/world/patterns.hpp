#pragma once
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

// Patterns by which a Root or a Project grants addresses and images. A * stands for any text of the
// part that it stands in, and for nothing of the next one: no path makes up for another host.
namespace kubist::executors {

/// Does one of the patterns (an array of texts; null: none) match? One that cannot be read matches
/// nothing. Pure.
///
/// Of a URL: SCHEME://HOST[:PORT][/PATH]. In HOST a * is text of its first labels, never of the
/// last two; PORT * is any port, none is the scheme's own; PATH is that with the query, / where
/// none is given. Of charts SCHEME can be oci, whose own port is that of https.
bool url_matches_any(const data::Json* patterns, std::string_view url);
/// Of an image: [REGISTRY/]REPOSITORY[:TAG][@DIGEST], where images without a registry are
/// docker.io's. REGISTRY is as HOST[:PORT]. In REPOSITORY a * ends at the next slash, but at its
/// end, where it takes all below and, without a TAG in the pattern, every tag.
bool image_matches_any(const data::Json* patterns, std::string_view image);
/// Of a source of Istio: ConfigMap/NAME, a URL, or Image/IMAGE ARG..., where an image that ends in
/// * and has no arguments stands for any.
bool source_matches_any(const data::Json* patterns, std::string_view source);

/// Can all patterns of the spec of a Root or a Project be read? Invalid, reason PatternNotAllowed:
/// names each that cannot, and why.
util::Result<> check_patterns(const data::Json& spec);

}  // namespace kubist::executors

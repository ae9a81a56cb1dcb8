#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/result.hpp>

/// The manifests of one installation of Istio, as `istioctl manifest generate` or `helm template`
/// print them.
namespace kubist::istio {

/// Where they come from.
struct Source {
  /// A file, a folder (its .yaml, .yml and .json files), a gzipped tar archive (those of all its
  /// folders), or a http(s) URL of a file or archive.
  std::string location;
  /// The SHA-256 that it must have, 64 hexadecimal digits (empty: anything, but of a URL); of a
  /// folder that of the lines "HASH  NAME" of its files in name order, as `sha256sum` prints them.
  std::string sha256;
  /// Reads a URL; URLs are an error when empty.
  std::function<util::Result<std::string>(const std::string& url)> fetch;
  /// What the file or archive holds, where it is in memory already: `location` only names it then.
  std::optional<std::string> content = {};
};

/// What an installation has to be; empty members match all.
struct Expected {
  std::string version, revision;
};

inline constexpr std::size_t k_max_bundle_bytes = std::size_t{32} << 20U;  ///< Istio's are 1 MB

/// Manifests that were read and checked.
struct Bundle {
  std::string version;      ///< of the istiod image; empty: its tag does not say
  std::string revision;     ///< "default" where there is none
  std::string ns;           ///< of istiod
  std::string sha256;       ///< of the source
  bool foreign_ca = false;  ///< its values name certificates of others: istiod writes no caBundle
  std::vector<resources::Manifest> manifests;
};

/// Reads and checks a source before anything is asked of a cluster. Errors (invalid, with file and
/// line where there is one): another sha256, more than k_max_bundle_bytes, YAML that ends in the
/// middle, a kind that no installation of Istio has, CRDs of others, an object that a complete
/// installation has and this one lacks (a file cut short between documents), istiod more than once,
/// another version or revision than expected.
util::Result<Bundle> read_bundle(const Source& source, const Expected& expected = {});

/// ConfigMap kubist-install[-REV], with version and sha256 of the source; itself one of the
/// objects, and the last that an installation writes.
resources::Manifest install_record(const Bundle& bundle);

/// May an installation of Istio contain this kind?
bool belongs_to_istio(std::string_view group, std::string_view kind);

/// A webhook configuration without what istiod owns of it: no failurePolicy where it is Fail (the
/// API's default) or where `live`, what the cluster has of it (null: nothing), is closed already,
/// and no caBundle unless `keep_bundle`. So an apply neither opens a webhook that istiod has closed
/// nor owns what istiod writes. Other objects stay as they are.
data::Json without_istiod_fields(data::Json object, const WebhookConfig* live,
                                 bool keep_bundle = false);

}  // namespace kubist::istio

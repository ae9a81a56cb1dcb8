#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/deployers/item.hpp>
#include <kubist/util/result.hpp>

#include "manifest/manifest_plan.hpp"

namespace kubist::deployers {

/// Where a chart comes from, as helm takes it.
struct ChartSource {
  std::string reference;  ///< a path, a URL, oci://..., or a name in `repo`
  std::string repo;       ///< a chart repository's URL, or empty
  std::string version;    ///< empty: the newest (or what the reference says)
  std::string archive;    ///< a .tgz by itself, instead of a reference
  bool local = false;     ///< the reference is a folder or file of this machine
  bool plain_http = false;
  std::string user_import, password_import;  ///< imports with the login; empty: none is needed
};

/// An import value that goes into the values: at a place, or (a map) over all of them.
struct ValueImport {
  std::string name;
  std::string path;  ///< dotted; empty: the top
};

struct HelmConfig {
  std::string project;  ///< the namespace of the item
  ChartSource chart;
  std::string release;
  std::string ns;  ///< empty: the place's
  bool create_namespace = false;
  Json values = Json::object();
  std::vector<ValueImport> values_from;
};

/// Reads and checks the config of a helm item: landscaper's fields and kubist's. Pure. Invalid,
/// reason InvalidConfiguration.
util::Result<HelmConfig> parse_helm(const Item& item);
/// The checks and exports of it; its objects come with rendering.
util::Result<ManifestPlan> parse_helm_plan(const Item& item);

/// A login for a chart repository or registry.
struct ChartLogin {
  std::string user, password;
};
/// Nothing where the config names none. Invalid, reason ImportNotFound or InvalidImport.
util::Result<std::optional<ChartLogin>> chart_login(const ChartSource& chart, const Json& imports);

/// The values that the chart gets. Invalid, reason ImportNotFound or InvalidImport.
util::Result<Json> helm_values(const HelmConfig& config, const Json& imports);

}  // namespace kubist::deployers

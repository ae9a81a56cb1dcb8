#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using data::Json;
using util::cat;

std::optional<util::Version> parse_version(std::string_view text) {
  auto version = util::parse_version(text);
  if (version) {
    version->prerelease.clear();
  }
  return version;
}

std::string version_of_image(std::string_view image) {
  const std::size_t colon = image.rfind(':');
  if (colon == image.npos || image.find('@') != image.npos ||
      image.find('/', colon) != image.npos) {
    return {};
  }
  std::string_view tag = image.substr(colon + 1);
  for (const std::string_view variant : {"-distroless", "-debug"}) {
    if (tag.ends_with(variant)) {
      tag.remove_suffix(variant.size());
    }
  }
  return parse_version(tag) ? std::string(tag.substr(tag.starts_with('v') ? 1 : 0)) : std::string();
}

const Release* SupportTable::find(int minor) const {
  const auto found = std::find_if(releases.begin(), releases.end(),
                                  [&](const Release& release) { return release.minor == minor; });
  return found == releases.end() ? nullptr : &*found;
}

bool SupportTable::older_than_all(int minor) const {
  return !releases.empty() && std::all_of(releases.begin(), releases.end(),
                                          [&](const Release& each) { return minor < each.minor; });
}

// istio.io/latest/docs/releases/supported-releases, and MinK8SVersion of istioctl for 1.31. Where
// the page names a month, its last day stands here.
const SupportTable& built_in_support() {
  static const SupportTable table{.as_of = "2026-08-31",
                                  .releases = {{31, "", 32, 0, ""},
                                               {30, "2026-11-30", 32, 36, "1.30.3"},
                                               {29, "2026-08-31", 31, 35, ""},
                                               {28, "2026-07-31", 30, 34, ""},
                                               {27, "2026-04-30", 29, 33, ""},
                                               {26, "2025-12-31", 29, 33, ""},
                                               {25, "2025-09-30", 28, 0, ""}}};
  return table;
}

namespace {

util::Result<std::string> read_day(const data::Document& document, const std::string& pointer,
                                   std::string_view field) {
  const Json* value = data::find(document.value, pointer);
  if (value == nullptr) {
    return std::string();
  }
  if (!value->is_string() || !util::parse_time(cat(value->get<std::string>(), "T00:00:00Z"))) {
    return util::fail(util::ErrorKind::invalid, document.position(pointer),
                      cat(field, " must be a day, as \"2026-11-30\" (in quotes)"));
  }
  return value->get<std::string>();
}

util::Result<Release> read_release(const data::Document& document, const std::string& pointer) {
  const Json& value = *data::find(document.value, pointer);
  Release release;
  const auto version = parse_version(cat(data::string_at(value, {"version"}), ".0"));
  if (!version || version->major != 1) {
    return util::fail(util::ErrorKind::invalid, document.position(pointer),
                      "version must be a minor release in quotes, as \"1.30\"");
  }
  release.minor = version->minor;
  KUBIST_TRY(release.end_of_life, read_day(document, pointer + "/endOfLife", "endOfLife"));
  release.kubernetes_min = static_cast<int>(data::int_at(value, {"kubernetes", "min"}));
  release.kubernetes_max = static_cast<int>(data::int_at(value, {"kubernetes", "max"}));
  release.newest = data::string_at(value, {"newest"});
  const auto newest = parse_version(release.newest);
  if (!release.newest.empty() && (!newest || newest->minor != release.minor)) {
    return util::fail(util::ErrorKind::invalid, document.position(pointer),
                      cat("newest must be a release of 1.", release.minor));
  }
  return release;
}

}  // namespace

util::Result<SupportTable> read_support(const std::filesystem::path& file) {
  KUBIST_TRY(const std::string text, util::read_file(file));
  KUBIST_TRY(const auto documents, data::read_documents(text, file.string()));
  const Json* releases =
      documents.size() == 1 ? data::find(documents.front().value, "/releases") : nullptr;
  if (releases == nullptr || !releases->is_array()) {
    return util::fail(util::ErrorKind::invalid,
                      cat(file.string(), ": not a table of supported releases"),
                      "It is one document with asOf and a list releases.");
  }
  const data::Document& document = documents.front();
  SupportTable table = built_in_support();
  KUBIST_TRY(const std::string as_of, read_day(document, "/asOf", "asOf"));
  table.as_of = as_of.empty() ? table.as_of : as_of;
  for (std::size_t index = 0; index < releases->size(); ++index) {
    KUBIST_TRY(Release release, read_release(document, cat("/releases/", index)));
    std::erase_if(table.releases, [&](const Release& old) { return old.minor == release.minor; });
    table.releases.push_back(std::move(release));
  }
  return table;
}

}  // namespace kubist::istio

// Discovery documents, aggregated and legacy, and the record of them on disk.
#include <kubist/data/document.hpp>

#include "discovery_documents.hpp"
#include "harness.hpp"

using namespace kubist;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  kube::DiscoveryRecord record;
  static_cast<void>(kube::read_record(text, record));
  const auto document = data::parse_json(text, "discovery");
  if (!document) {
    return 0;
  }
  kube::DiscoveryRecord fresh;
  kube::read_aggregated(*document, fresh.resources, fresh.failed);
  kube::read_legacy(*document, fresh.resources);
  static_cast<void>(kube::legacy_paths(*document, *document));
  static_cast<void>(kube::read_record(kube::write_record(fresh), record));
  return 0;
}

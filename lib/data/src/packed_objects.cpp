#include <string_view>

#include <kubist/data/document.hpp>
#include <kubist/data/packed_objects.hpp>
#include <kubist/util/zip.hpp>

namespace kubist::data {

PackedObjects::PackedObjects(const Objects& objects) {
  std::string texts;
  m_lengths.reserve(objects.size());
  for (const auto& object : objects) {
    const std::string text = object->dump(-1, ' ', false, Json::error_handler_t::replace);
    m_lengths.push_back(static_cast<std::uint32_t>(text.size()));
    texts += text;
  }
  m_size = texts.size();
  m_zipped = util::zipped(texts);
}

PackedObjects::Objects PackedObjects::unpack() const {
  const std::string texts = util::unzipped(m_zipped, m_size);
  std::string_view rest = texts;
  Objects objects;
  objects.reserve(m_lengths.size());
  for (const std::uint32_t length : m_lengths) {
    auto object = parse_json(rest.substr(0, length), "packed object");
    objects.push_back(std::make_shared<const Json>(object ? *std::move(object) : Json()));
    rest.remove_prefix(length);
  }
  return objects;
}

}  // namespace kubist::data

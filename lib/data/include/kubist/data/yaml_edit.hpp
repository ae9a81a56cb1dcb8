#pragma once
#include <string>
#include <string_view>

#include <kubist/data/document.hpp>

namespace kubist::data {

/// The whole text that the document came from (its source must have been kept), with another value
/// behind `pointer` ("/spec/routes", the key of a map). All else stays to the byte: comments, order
/// and line ends. The value is written in block style, as to_yaml does. Invalid: the key does not
/// begin a line (JSON, flow style), or the text would not read as wanted afterwards (anchors).
util::Result<std::string> replace_value(const Document& document, std::string_view pointer,
                                        const Json& value);

}  // namespace kubist::data

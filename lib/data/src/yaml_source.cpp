#include "yaml_source.hpp"

#include <charconv>
#include <cmath>

#include <yaml.h>

#include <kubist/data/json_text.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "go_number.hpp"
#include "scalar.hpp"
#include "utf8.hpp"

namespace kubist::data {

using util::cat;
using util::ErrorKind;
using util::Result;

namespace {

constexpr std::string_view k_tag_prefix = "tag:yaml.org,2002:";
constexpr const char* k_quote_hint = "quote it to keep it as text";

std::string_view view(const unsigned char* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

std::string_view kind_name(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::null:
      return "null";
    case ScalarKind::boolean:
      return "bool";
    case ScalarKind::integer:
    case ScalarKind::unsigned_integer:
      return "int";
    case ScalarKind::real:
      return "float";
    case ScalarKind::timestamp:
      return "timestamp";
    case ScalarKind::string:
      break;
  }
  return "str";
}

}  // namespace

struct YamlSource::Parser {
  yaml_parser_t parser{};
  yaml_event_t event{};
  bool has_event = false;

  explicit Parser(std::string_view text) {
    if (yaml_parser_initialize(&parser) == 0) {
      throw std::bad_alloc();
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() {
    drop();
    yaml_parser_delete(&parser);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  void drop() {
    if (has_event) {
      yaml_event_delete(&event);
      has_event = false;
    }
  }
};

YamlSource::YamlSource(std::string_view text, const std::string& origin, const ReadOptions& options,
                       std::uint32_t first_line)
    : m_text(text),
      m_origin(origin),
      m_options(options),
      m_first_line(first_line),
      m_parser(std::make_unique<Parser>(text)) {}

YamlSource::~YamlSource() = default;

Mark YamlSource::mark() {
  const yaml_mark_t& mark = m_parser->event.start_mark;
  return {static_cast<std::uint32_t>(mark.line) + m_first_line,
          static_cast<std::uint32_t>(mark.column) + 1};
}

tl::unexpected<util::Error> YamlSource::error(std::string message, std::string hint) {
  const Mark at = mark();
  return util::fail(ErrorKind::invalid, util::SourcePos{m_origin, at.line, at.column},
                    std::move(message), std::move(hint));
}

Result<> YamlSource::next_event() {
  m_parser->drop();
  if (yaml_parser_parse(&m_parser->parser, &m_parser->event) == 0) {
    return parser_error();
  }
  m_parser->has_event = true;
  return {};
}

Result<> YamlSource::parser_error() {
  const yaml_parser_t& parser = m_parser->parser;
  if (parser.error == YAML_MEMORY_ERROR) {
    throw std::bad_alloc();
  }
  std::string message = parser.problem == nullptr ? "not valid YAML" : parser.problem;
  std::size_t line = parser.problem_mark.line;
  std::size_t column = parser.problem_mark.column + 1;
  std::size_t offset = m_text.size();
  if (parser.error == YAML_READER_ERROR) {  // has an offset in place of a mark
    offset = std::min(parser.problem_offset, m_text.size());
    const std::string_view before = m_text.substr(0, offset);
    line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    column = offset - (before.rfind('\n') + 1) + 1;
  }
  if (parser.context != nullptr && parser.context_mark.line != line) {
    message += cat(" (", parser.context, " that starts in line ",
                   parser.context_mark.line + m_first_line, ")");
  } else if (parser.context != nullptr) {
    message += cat(" (", parser.context, ")");
  }
  std::string hint;
  if (message.find("cannot start any token") != std::string::npos ||
      message.find("tab character") != std::string::npos) {
    hint = "YAML takes no tabs for indentation, and text that starts with %, @ or ` needs quotes";
  } else if (message.find("mapping values are not allowed") != std::string::npos) {
    hint = "text with \": \" in it needs quotes; otherwise check the indentation";
  } else if (message.find("UTF-8") != std::string::npos) {
    hint = "save the file as UTF-8";
  } else if (message.find("did not find expected") != std::string::npos) {
    hint = "check the indentation of this line and of those before it";
  }
  return util::fail(ErrorKind::invalid, util::SourcePos{m_origin, line + m_first_line, column},
                    std::move(message), std::move(hint));
}

Result<bool> YamlSource::next_document(Start& start) {
  for (;;) {
    KUBIST_CHECK(next_event());
    if (m_parser->event.type == YAML_STREAM_END_EVENT) {
      return false;
    }
    if (m_parser->event.type == YAML_DOCUMENT_START_EVENT) {
      start = {m_parser->event.start_mark.index, mark()};
      m_levels.clear();
      m_scalar_anchors.clear();
      return true;
    }
  }
}

Result<> YamlSource::read_document(EventSink& sink) {
  for (bool first = true;; first = false) {
    KUBIST_CHECK(next_event());
    if (first) {
      m_first_node = mark();
    }
    if (m_parser->event.type == YAML_DOCUMENT_END_EVENT || m_parser->event.type == YAML_NO_EVENT) {
      return {};
    }
    KUBIST_CHECK(dispatch(sink));
  }
}

void YamlSource::value_done() {
  if (!m_levels.empty() && m_levels.back() == Level::value) {
    m_levels.back() = Level::key;
  }
}

Result<> YamlSource::dispatch(EventSink& sink) {
  const yaml_event_t& event = m_parser->event;
  switch (event.type) {
    case YAML_MAPPING_START_EVENT:
      return begin(sink, true, event.data.mapping_start.anchor);
    case YAML_SEQUENCE_START_EVENT:
      return begin(sink, false, event.data.sequence_start.anchor);
    case YAML_MAPPING_END_EVENT:
      m_levels.pop_back();
      value_done();
      return sink.end_map();
    case YAML_SEQUENCE_END_EVENT:
      m_levels.pop_back();
      value_done();
      return sink.end_list();
    case YAML_SCALAR_EVENT:
      return dispatch_scalar(sink);
    case YAML_ALIAS_EVENT:
      return dispatch_alias(sink);
    default:
      return {};
  }
}

Result<> YamlSource::begin(EventSink& sink, bool map, const unsigned char* anchor) {
  if (at_key()) {
    return error("a map or list cannot be a key",
                 "keys become the field names of JSON, so they must be plain values");
  }
  m_levels.push_back(map ? Level::key : Level::list);
  return map ? sink.begin_map(view(anchor)) : sink.begin_list(view(anchor));
}

Result<> YamlSource::dispatch_scalar(EventSink& sink) {
  const auto& scalar = m_parser->event.data.scalar;
  const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const std::string_view anchor = view(scalar.anchor);
  const bool plain = scalar.plain_implicit != 0;
  std::string_view tag = view(scalar.tag);
  if (!anchor.empty()) {
    m_scalar_anchors.insert_or_assign(std::string(anchor),
                                      KeyAnchor{std::string(text), std::string(tag), plain});
  }
  if (at_key()) {
    return dispatch_key(sink, text, plain, tag);
  }
  KUBIST_TRY(Json value, resolve(text, plain, tag));
  value_done();
  return sink.scalar(std::move(value), anchor);
}

Result<> YamlSource::dispatch_alias(EventSink& sink) {
  const std::string_view anchor = view(m_parser->event.data.alias.anchor);
  if (!at_key()) {
    value_done();
    return sink.alias(anchor);
  }
  const auto found = m_scalar_anchors.find(anchor);
  if (found == m_scalar_anchors.end()) {
    return error(cat("alias *", anchor, " as a key does not name a plain value before it"));
  }
  return dispatch_key(sink, found->second.text, found->second.plain, found->second.tag);
}

Result<> YamlSource::dispatch_key(EventSink& sink, std::string_view text, bool plain,
                                  std::string_view tag) {
  m_levels.back() = Level::value;
  if (text == "<<" && (plain || tag == cat(k_tag_prefix, "merge"))) {
    return sink.key(text, true);
  }
  if (!plain || !tag.empty()) {
    KUBIST_TRY(const Json value, resolve(text, plain, tag));
    return sink.key(value.is_string() ? value.get<std::string>() : value.dump(), false);
  }
  const Scalar scalar = resolve_plain(text);
  switch (scalar.kind) {
    case ScalarKind::string:
    case ScalarKind::timestamp:
      return sink.key(text, false);
    case ScalarKind::boolean:
      return sink.key(scalar.boolean ? "true" : "false", false);
    case ScalarKind::integer:
      return sink.key(std::to_string(scalar.integer), false);
    case ScalarKind::real:
      return sink.key(go_general(static_cast<float>(scalar.real)), false);
    case ScalarKind::null:
      return error("null cannot be a key", k_quote_hint);
    case ScalarKind::unsigned_integer:
      break;
  }
  return error(cat("the integer ", text, " is too large for a key"), k_quote_hint);
}

/// A value as JSON has it after kubectl's way through JSON text: 1.0 and 1e3 are integers there.
Result<Json> YamlSource::resolve(std::string_view text, bool plain, std::string_view tag) {
  if (!plain && tag.empty()) {
    return Json(std::string(text));
  }
  const bool known = tag.starts_with(k_tag_prefix);
  const std::string_view name = known ? tag.substr(k_tag_prefix.size()) : tag;
  if (known && name == "binary") {
    auto decoded = util::base64_decode(text);
    if (!decoded) {
      return error("the text of !!binary is not base64");
    }
    std::string buffer;  // a JSON value holds only UTF-8, and kubectl shows such bytes so
    return Json(std::string(valid_utf8(*decoded, buffer)));
  }
  const bool resolvable =
      tag.empty() || (known && (name == "bool" || name == "int" || name == "float" ||
                                name == "null" || name == "timestamp"));
  if (!resolvable) {
    return Json(std::string(text));  // !!str, and tags of others, which go-yaml ignores
  }
  const Scalar scalar = resolve_plain(text);
  const bool float_of_int = name == "float" && scalar.kind == ScalarKind::integer;
  if (!tag.empty() && name != kind_name(scalar.kind) && !float_of_int) {
    return error(cat("\"", text, "\" is no ", name, " (tag !!", name, ")"));
  }
  switch (scalar.kind) {
    case ScalarKind::null:
      return Json(nullptr);
    case ScalarKind::boolean:
      return Json(scalar.boolean);
    case ScalarKind::integer:
      return Json(scalar.integer);
    case ScalarKind::string:
    case ScalarKind::timestamp:
      return Json(std::string(text));
    case ScalarKind::unsigned_integer:
    case ScalarKind::real:
      break;
  }
  const double real =
      scalar.kind == ScalarKind::real ? scalar.real : static_cast<double>(scalar.unsigned_integer);
  const std::string json = go_json_number(real);  // "1e+21" and "0.5" do not parse as a whole
  if ((scalar.lossy || scalar.kind == ScalarKind::unsigned_integer) && json != text &&
      m_options.big_integers == BigIntegers::reject) {
    return error(cat("the integer ", text, " does not fit in 64 bits"), k_quote_hint);
  }
  if (!std::isfinite(real)) {
    return error(cat(text, " has no JSON form"), k_quote_hint);
  }
  std::int64_t integer = 0;
  const char* end = json.data() + json.size();
  const auto [stop, ec] = std::from_chars(json.data(), end, integer);
  if (ec == std::errc{} && stop == end) {
    return Json(integer);
  }
  return Json(real);
}

}  // namespace kubist::data

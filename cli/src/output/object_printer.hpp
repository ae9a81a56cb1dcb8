#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include <kubist/cli/sink.hpp>
#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

#include "format.hpp"

namespace kubist::cli {

/// One object to print. The views need to last for the call only.
struct PrintedObject {
  std::string_view raw;          ///< its JSON text; may be empty where only names are printed
  std::string_view api_version;  ///< of its kind, "apps/v1"
  std::string_view kind;
  std::string_view name;
  /// Does `raw` say apiVersion and kind? Items of lists of built-in kinds do not.
  bool typed = true;
};

/// How several objects become one text.
enum class OutputShape {
  single,  ///< the one object itself
  list,    ///< a List, as kubectl prints any number of objects
  stream,  ///< one after the other: watches
};

struct PrinterOptions {
  OutputShape shape = OutputShape::list;
  bool no_headers = false;           ///< custom-columns
  bool show_managed_fields = false;  ///< json, yaml
  bool allow_missing_keys = true;    ///< jsonpath
};

/// Prints objects in every format but the two tables, byte for byte as kubectl does. JSON, YAML and
/// names leave object by object; jsonpath over a list needs all of them first.
class ObjectPrinter {
 public:
  virtual ~ObjectPrinter() = default;
  virtual util::Result<> print(const PrintedObject& object) = 0;
  /// Writes the end: once, after the last object, also when there was none.
  virtual util::Result<> finish() = 0;
};

/// A printer for a format that is not human(). `out` and `format` must outlive it.
std::unique_ptr<ObjectPrinter> make_object_printer(const OutputFormat& format, Sink& out,
                                                   const PrinterOptions& options);

/// Prints values that are in memory.
util::Result<> print_objects(const std::vector<data::Json>& objects, const OutputFormat& format,
                             Sink& out, const PrinterOptions& options);

/// "pod/x", "deployment.apps/x": what -o name prints and messages call an object.
std::string object_name(std::string_view api_version, std::string_view kind, std::string_view name);

}  // namespace kubist::cli

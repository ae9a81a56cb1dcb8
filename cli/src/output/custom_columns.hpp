#pragma once
#include "object_printer.hpp"
#include "table.hpp"

namespace kubist::cli {

/// -o custom-columns: one row an object.
class CustomColumnsPrinter final : public ObjectPrinter {
 public:
  CustomColumnsPrinter(const OutputFormat& format, Sink& out, const PrinterOptions& options);
  util::Result<> print(const PrintedObject& object) override;
  util::Result<> finish() override;

 private:
  void print_header();
  const OutputFormat& m_format;
  TableWriter m_table;
  bool m_header;  ///< still to be printed
  bool m_stream;
};

}  // namespace kubist::cli

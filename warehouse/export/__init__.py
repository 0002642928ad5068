"""Deliverables out of a warehouse: text files as the vendor writes them, traces, parquet."""

from warehouse.export.exporting import ExportedFile, ExportReport, export, rank_folders
from warehouse.export.registry import kind_names
from warehouse.export.selection import Selection

__all__ = ["ExportReport", "ExportedFile", "Selection", "export", "kind_names", "rank_folders"]

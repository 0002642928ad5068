"""From profile directories to a warehouse: discover, read, sweep, link, load."""

from warehouse.ingest.entry import ingest
from warehouse.ingest.report import IngestReport

__all__ = ["IngestReport", "ingest"]

"""Contract 1: what every reader hands over, one Arrow schema a record kind."""

from warehouse.batches.records import RECORDS, batch, rows_of

__all__ = ["RECORDS", "batch", "rows_of"]

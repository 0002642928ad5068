"""Numbers of the rules by which a device record found its operator: `link_rule.id`, where they are explained."""

from __future__ import annotations

QUEUE, QUEUE_MORE, HOST, HOST_MORE, HOST_BESIDE, CAPTURE, CAPTURE_MORE, REPLAY, PART = range(1, 10)
# those of the vendor's tools
VENDOR_RULES = (QUEUE, HOST, CAPTURE)

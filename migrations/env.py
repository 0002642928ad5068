"""Alembic's entry for every upgrade; connection and transaction are those of warehouse.store.migrate."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()

"""Run by alembic: takes the steps on the connection that the store gave."""

from alembic import context

from tunewise.storage.schema import metadata, schema

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=schema.name,
    transactional_ddl=True,  # on SQLite too, since the store begins its transactions itself
    render_as_batch=True,  # SQLite changes a column by copying its table
)
with context.begin_transaction():
    context.run_migrations()

"""Where histories live: in memory, in a SQLite file, in PostgreSQL.

Everything here keeps the contract `tunewise.study.Store`, checked by
`tunewise.testing.stores.StoreConformance`. What may happen to a trial is decided in one place
(`slot.py`), foreign errors become a `StorageError` in one place (`failures.py`), and SQLAlchemy is
imported only when a database is opened.
"""

from tunewise.storage.memory import MemoryStore
from tunewise.storage.opening import open_store

__all__ = ["MemoryStore", "open_store"]

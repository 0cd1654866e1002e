"""Event stores on SQLite, PostgreSQL and in memory, with backup, migration and the outage spool."""

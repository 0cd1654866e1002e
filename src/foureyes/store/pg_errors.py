"""Maps PostgreSQL errors to what the caller should do: decide again (Conflict), retry later (Unavailable), or a bug."""

from __future__ import annotations

import psycopg
from psycopg import errors

from foureyes.app.ports import Conflict, Unavailable

#: Constraints that fail when two commands were decided on the same end of a stream, or under the same key.
_RACED = frozenset({"log_stream_version_key", "streams_name_key", "answered_pkey"})
_AGAIN = (errors.SerializationFailure, errors.DeadlockDetected)
#: The server shuts down, is starting or has dropped the database, or the connection broke. After a timeout or with too
#: many connections the server is still up.
_DOWN_STATES = frozenset({"57P01", "57P02", "57P03", "57P04"})
_LINE_STATES = "08"
_SAME_KEY = "Ask again with the same key."


def told(error: psycopg.Error, *, committing: bool = False, broken: bool = False) -> Exception:
    """Return the exception to raise instead; an error that is a fault of ours comes back as it is.

    An error that breaks the connection while the commit is on its way leaves open whether the commit happened.
    """
    if committing and broken:
        sentence = "The connection to the database was lost while it committed."
        return Unavailable(sentence, _SAME_KEY, unknown=True, down=_is_down(error))
    raced = isinstance(error, errors.UniqueViolation) and error.diag.constraint_name in _RACED
    # An event's stream is looked up by name: the stream that was to grow has not been begun.
    unbegun = isinstance(error, errors.NotNullViolation) and error.diag.column_name == "stream"
    if raced or unbegun or isinstance(error, _AGAIN):
        return Conflict("Somebody else was faster: decide again.")
    if isinstance(error, psycopg.DataError) and not error.sqlstate:
        return ValueError("A text with a NUL character cannot be stored.")
    return _unavailable(error, broken=broken) or error


def _unavailable(error: psycopg.Error, *, broken: bool) -> Unavailable | None:
    match error:
        case errors.DiskFull() | errors.OutOfMemory():
            return Unavailable("The database has no room left.", "Free some, then ask again.", full=True)
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return Unavailable("The database took too long.", _SAME_KEY)
        case errors.ReadOnlySqlTransaction():
            return Unavailable("The database is a standby and takes no writes.", "Name the primary in the URL.")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return Unavailable("The database cannot be reached.", _SAME_KEY, down=_is_down(error))
    # A session that the server ends, say because it was idle for too long, raises an error of another class.
    if not broken:
        return None
    return Unavailable("The database ended the connection.", _SAME_KEY, down=_is_down(error))


def _is_down(error: psycopg.Error) -> bool:
    """True if the server is out of reach; an error without an SQLSTATE counts as that."""
    state = error.sqlstate
    return not state or state in _DOWN_STATES or state.startswith(_LINE_STATES)

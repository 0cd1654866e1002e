"""Maps errors of a model's provider to Inconclusive, with a reason that people understand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Failure
from foureyes.reviewers.answers.shown import one_line

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError

#: A provider that asks for a longer wait than this gives no usable time.
WAIT_SECONDS_MAX = 7 * 24 * 3600
CODE_CHARS_MAX = 60


def inconclusive(name: str, wrong: Exception, now: datetime) -> Inconclusive:
    """Return the Inconclusive for an error of the library."""
    from pydantic_ai import exceptions  # noqa: PLC0415 - loaded when a model is asked, and then it is there

    match wrong:
        case exceptions.ModelAPIError():
            return _of_provider(name, wrong, now)
        case exceptions.ContentFilterError():
            return Inconclusive(Failure.REFUSED, f"{name} refused: its provider's filter stopped it.")
        case exceptions.UnexpectedModelBehavior():
            return Inconclusive(Failure.MALFORMED, f"{name} answered something its provider's own library cannot read.")
        case exceptions.UserError():
            return Inconclusive(Failure.CRASHED, f"{name} cannot be asked this way: {one_line(str(wrong), 200)}")
        case _:
            return Inconclusive(Failure.CRASHED, f"{name} failed ({type(wrong).__name__}).")


def _of_provider(name: str, wrong: ModelAPIError, now: datetime) -> Inconclusive:  # noqa: PLR0911 - one a category
    """Return it by category; the provider's own words are left out, because they may repeat what was sent."""
    from pydantic_ai import exceptions  # noqa: PLC0415 - see inconclusive

    code = _code(wrong)
    match wrong:
        case exceptions.ModelRateLimitError():
            until = _until(wrong, now)
            end = f" until {until:%H:%M} UTC" if until else ""
            return Inconclusive(Failure.CRASHED, f"{name} is over its limit{end}.", until=until)
        case exceptions.ModelQuotaExceededError():
            return Inconclusive(Failure.CRASHED, f"{name} has no credit left with its provider{code}.")
        case exceptions.ModelAuthenticationError():
            return Inconclusive(Failure.CRASHED, f"{name} does not accept the key{code}.")
        case exceptions.ModelNotFoundError():
            return Inconclusive(Failure.CRASHED, f"{name} is not known at its address{code}.")
        case exceptions.ModelContextWindowExceededError():
            return Inconclusive(Failure.INCOMPLETE, f"{name} cannot hold the work at once{code}.")
        case exceptions.ModelTimeoutError() | exceptions.ModelRequestTimeout():
            return Inconclusive(Failure.TIMED_OUT, f"{name} did not answer in time.")
        case exceptions.ModelConnectionError():
            return Inconclusive(Failure.CRASHED, f"{name} could not be reached.")
        case exceptions.ModelUnavailableError() | exceptions.ModelServerError():
            return Inconclusive(Failure.CRASHED, f"{name} has trouble of its own{code}.", until=_until(wrong, now))
        case _:
            return Inconclusive(Failure.CRASHED, f"{name} did not take the request{code}.")


def is_passing(wrong: Exception) -> bool:
    """True if a second try after a moment may help: a server error of the provider, or a lost connection."""
    from pydantic_ai import exceptions  # noqa: PLC0415 - see inconclusive

    lost = isinstance(wrong, exceptions.ModelConnectionError) and not isinstance(wrong, exceptions.ModelTimeoutError)
    return lost or isinstance(wrong, exceptions.ModelUnavailableError | exceptions.ModelServerError)


def is_too_large(wrong: Exception) -> bool:
    """True if the model's context is too small for the prompt."""
    from pydantic_ai import exceptions  # noqa: PLC0415 - see inconclusive

    return isinstance(wrong, exceptions.ModelContextWindowExceededError)


def _until(wrong: ModelAPIError, now: datetime) -> datetime | None:
    wait = wrong.retry_after
    if wait is None or not 0 <= wait <= WAIT_SECONDS_MAX:
        return None
    return now.astimezone(UTC) + timedelta(seconds=wait)


def _code(wrong: ModelAPIError) -> str:
    status = getattr(wrong, "status_code", None)
    said = wrong.provider_error_code or wrong.provider_error_type or ""
    word = one_line(str(said), CODE_CHARS_MAX) if str(said).replace("_", "").replace("-", "").isalnum() else ""
    both = " ".join(str(one) for one in (status, word) if one)
    return f" ({both})" if both else ""

"""The call by which a publisher says what is on a target now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_work import work_of
from foureyes.app.targets import TARGET
from foureyes.core.live import AttestBase


@dataclass(frozen=True, slots=True, kw_only=True)
class AttestForm:
    """The files that are on a target now, whoever put them there, and the commit they are from."""

    target: str
    files: tuple[FileSent, ...]
    commit: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attested:
    """Work for this target is compared with the files of this digest, until something else goes live there."""

    target: str
    digest: str


async def attest_base(office: Office, caller: Caller, form: AttestForm) -> Attested:
    """Say which files are on a target now, so that work for it is judged by what it changes there."""
    work = await work_of(office, form.files)
    office.quotas.sent(caller.who, office.clock(), sum(map(len, work.blobs.values())))
    command = AttestBase(target=form.target, digest=work.digest, parts=work.parts, commit=form.commit)
    await office.do(caller, command, Handed(key=form.key, stream=TARGET + form.target, blobs=work.blobs))
    return Attested(target=form.target, digest=work.digest)


def calls() -> Iterator[Call[Any]]:
    """The one call of this sort."""
    says = (attest_base.__doc__ or "").strip()
    yield Call(name="attest_base", says=says, needs=Need.PUBLISH, form=AttestForm, answer=attest_base)

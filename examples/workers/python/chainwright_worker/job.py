"""A claimed job, and what its handler may return or raise."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Union


@dataclass(frozen=True)
class Job:
    """A claimed job. Its attempts are counted from 1."""

    token: str
    id: str
    chain_id: str
    type_name: str
    step: int
    attempt: int
    input: Any
    #: The same for all attempts: pass it on to services that know such keys.
    idempotency_key: str
    lease_ms: int
    #: Set when the lease is lost, because the chain was cancelled or the job runs elsewhere: the result will not count.
    lost: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)


@dataclass(frozen=True)
class Continue:
    """Returned by a handler: the chain goes on with this step."""

    type_name: str
    input: Any


@dataclass(frozen=True)
class Reschedule:
    """Returned by a handler: again later; the attempt does not count."""

    after_ms: int


class Fatal(Exception):
    """Raised by a handler: no further attempt can help."""


#: Returns the output of the chain, or `Continue`, or `Reschedule`.
Handler = Callable[[Job], Any]
Outcome = Mapping[str, Any]


def job_of(claimed: Mapping[str, Any]) -> Job:
    """Reads a job of the gateway's reply."""
    return Job(
        token=claimed["token"],
        id=claimed["id"],
        chain_id=claimed["chainId"],
        type_name=claimed["typeName"],
        step=claimed["step"],
        attempt=claimed["attempt"],
        input=claimed["input"],
        idempotency_key=claimed["idempotencyKey"],
        lease_ms=claimed["leaseMs"],
    )


def run(handler: Handler, job: Job) -> Outcome:
    """Runs a handler. What it returns or raises becomes an outcome."""
    try:
        outcome = _outcome_of(job, handler(job))
        # What is no JSON is the fault of this attempt as well.
        json.dumps(outcome, ensure_ascii=False, allow_nan=False).encode()
        return outcome
    except Exception as error:  # Any error of a handler is a failed attempt.
        return failed(job, error)


def _outcome_of(job: Job, result: Union[Continue, Reschedule, Any]) -> Outcome:
    if isinstance(result, Continue):
        following = {"typeName": result.type_name, "input": result.input}
        return {"token": job.token, "kind": "continued", "next": following}
    if isinstance(result, Reschedule):
        return {"token": job.token, "kind": "rescheduled", "afterMs": result.after_ms}
    return {"token": job.token, "kind": "completed", "output": result}


def failed(job: Job, error: Exception) -> Outcome:
    """A failed attempt, with the name of the error and its message."""
    message = str(error)[:20_000].encode(errors="replace").decode()
    told = {"name": type(error).__name__, "message": message}
    return {"token": job.token, "kind": "failed", "error": told, "fatal": isinstance(error, Fatal)}


def returned(job: Job) -> Outcome:
    """Gives a job back; the attempt does not count."""
    return {"token": job.token, "kind": "returned"}

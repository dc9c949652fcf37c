"""The two calls of the gateway that a worker needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

import httpx

from .job import Job, Outcome, job_of

#: Statuses after which the same request is sent again: too many requests, a store or gateway that is away, a proxy's own.
AGAIN = frozenset({408, 429, 502, 503, 504})
#: With it the gateway says that the only outcome of a request is lost. The body is as usual.
LOST = 409


class GatewayError(Exception):
    """The gateway refused a request, and will refuse it again."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message


class Unavailable(Exception):
    """The request may or may not have had its effect: send it again."""

    def __init__(self, reason: str, after_s: float) -> None:
        super().__init__(reason)
        self.after_s = after_s


@dataclass(frozen=True)
class Claim:
    types: Sequence[str]
    lease_ms: int
    wait_ms: int


@dataclass(frozen=True)
class Reply:
    #: What became of each outcome, in their order.
    results: Sequence[Mapping[str, Any]]
    jobs: Sequence[Job]


class Gateway:
    """A gateway at a URL. May be used by several threads."""

    def __init__(self, url: str, key: str, name: str) -> None:
        self._name = name
        # Longer than the gateway waits for jobs.
        timeout = httpx.Timeout(60, connect=10)
        # Each slot has a request that waits.
        limits = httpx.Limits(max_connections=None)
        headers = {"authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, limits=limits)

    def exchange(self, outcomes: Sequence[Outcome], claim: Optional[Claim] = None) -> Reply:
        """Hands in outcomes, and claims a job if `claim` is given."""
        body: dict[str, Any] = {"worker": self._name, "outcomes": list(outcomes)}
        if claim is not None:
            asked = {"types": list(claim.types), "limit": 1, "leaseMs": claim.lease_ms, "waitMs": claim.wait_ms}
            body["claim"] = asked
        reply = self._post("/v1/exchange", body)
        return Reply(results=reply["results"], jobs=[job_of(job) for job in reply["jobs"]])

    def extend(self, jobs: Sequence[Job]) -> Mapping[str, str]:
        """Extends leases. Returns the tokens of those that were not extended, with the reason."""
        leases = [{"token": job.token, "leaseMs": job.lease_ms} for job in jobs]
        reply = self._post("/v1/leases", {"worker": self._name, "jobs": leases})
        return {lost["token"]: lost["reason"] for lost in reply["lost"]}

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        try:
            response = self._http.post(path, json=body)
            if response.status_code in AGAIN:
                raise Unavailable(f"status {response.status_code}", _retry_after(response))
            reply = response.json()
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise Unavailable(repr(error), 1) from error
        if response.status_code in (200, LOST) and "results" in reply or response.status_code == 200:
            return reply
        error_of = reply["error"]
        raise GatewayError(response.status_code, error_of["code"], error_of["message"])


def _retry_after(response: httpx.Response) -> float:
    try:
        return float(response.headers.get("retry-after", "1"))
    except ValueError:
        return 1

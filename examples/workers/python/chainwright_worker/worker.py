"""The claim loop."""

from __future__ import annotations

import random
import threading
import time
from typing import Any, Callable, Mapping, Optional, Sequence

from .gateway import Claim, Gateway, GatewayError, Reply, Unavailable
from .job import Handler, Job, Outcome, failed, returned, run
from .leases import Leases

#: Is told what happens to jobs: `claimed`, then `settled` (with the kind of its outcome), `lost` or `returned`.
Report = Callable[[str, Job, Mapping[str, Any]], None]


def _quiet(event: str, job: Job, details: Mapping[str, Any]) -> None:
    """Reports nothing."""


class Worker:
    """Runs handlers by the names of their job types, in threads: one for each slot.

    Each slot hands in the outcome of its job and claims the next one in one request.
    """

    def __init__(
        self,
        gateway: Gateway,
        handlers: Mapping[str, Handler],
        *,
        slots: int = 4,
        lease_ms: int = 30_000,
        wait_ms: int = 20_000,
        report: Report = _quiet,
    ) -> None:
        self._gateway = gateway
        self._handlers = handlers
        self._slots = slots
        self._waiting = Claim(types=list(handlers), lease_ms=lease_ms, wait_ms=wait_ms)
        self._at_once = Claim(types=list(handlers), lease_ms=lease_ms, wait_ms=0)
        self._leases = Leases(gateway, lease_ms)
        self._report = report
        self._stopping = threading.Event()
        self._failure: Optional[Exception] = None

    def stop(self) -> None:
        """Ends `run`. May be called by a signal handler."""
        self._stopping.set()

    def run(self, grace_s: float = 10) -> None:
        """Works until `stop` is called. Then handlers have `grace_s` to end, and jobs that still run are given back.

        Raises `GatewayError` if the gateway refuses to hand out jobs, for example because the key is wrong.
        """
        self._leases.start()
        for number in range(self._slots):
            threading.Thread(target=self._work, name=f"slot-{number}", daemon=True).start()
        self._stopping.wait()
        # The slots are daemon threads: those that wait for jobs, or whose handler does not end, end with the process.
        self._give_back(self._leases.end(grace_s))
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        """A slot: until the worker stops, or the gateway refuses to hand out jobs."""
        job: Optional[Job] = None
        outcome: Optional[Outcome] = None
        try:
            while not self._stopping.is_set() or outcome is not None:
                reply = self._exchange(outcome)
                if job is not None and outcome is not None:
                    outcome = self._settled(job, outcome, reply.results[0])
                    if outcome is not None:
                        # The job is still leased: its outcome is handed in once more, and the slot takes no other.
                        for other in reply.jobs:
                            self._report("claimed", other, {})
                        self._give_back(reply.jobs)
                        time.sleep(0.1)
                        continue
                job = self._take(reply.jobs)
                if job is not None:
                    outcome = run(self._handlers[job.type_name], job)
        except Exception as error:
            self._failure = error
            self.stop()

    def _exchange(self, outcome: Optional[Outcome]) -> Reply:
        """Sends the same again until there is a reply: an outcome that had arrived is reported as lost, and is not applied twice."""
        tries = 0
        while True:
            outcomes = [] if outcome is None else [outcome]
            # The reply to an outcome must not wait for a job.
            claim = self._waiting if outcome is None else self._at_once
            try:
                return self._gateway.exchange(outcomes, None if self._stopping.is_set() else claim)
            except Unavailable as away:
                tries += 1
                time.sleep(min(away.after_s, 0.05 * 2**tries) * random.uniform(0.5, 1.5))
            except GatewayError as refusal:
                # An output that is too large or is no JSON is the fault of this attempt.
                if outcome is None or outcome["kind"] == "failed" or refusal.status not in (400, 413, 422):
                    raise
                outcome = {
                    "token": outcome["token"],
                    "kind": "failed",
                    "error": {"name": refusal.code, "message": refusal.message},
                }

    def _settled(self, job: Job, outcome: Outcome, result: Mapping[str, Any]) -> Optional[Outcome]:
        """Takes the result of an outcome. Returns the outcome to hand in next, if the job is still leased."""
        if result["status"] == "refused":
            error = result["error"]
            if error["code"] == "transaction-conflict" or outcome["kind"] == "failed":
                return outcome
            return failed(job, RuntimeError(f"{error['code']}: {error['message']}"))
        self._leases.drop(job)
        if result["status"] == "lost":
            self._report("lost", job, {"reason": result["reason"]})
        else:
            self._report("settled", job, {"kind": outcome["kind"], "error": result.get("error")})
        return None

    def _take(self, jobs: Sequence[Job]) -> Optional[Job]:
        for job in jobs:
            self._report("claimed", job, {})
            if self._stopping.is_set():
                self._leases.leave(job)
            else:
                self._leases.hold(job)
                return job
        return None

    def _give_back(self, jobs: Sequence[Job]) -> None:
        """Gives jobs back, so that others need not wait until the leases end."""
        if not jobs:
            return
        for job in jobs:
            self._report("returning", job, {})
        try:
            results = self._gateway.exchange([returned(job) for job in jobs]).results
        except (Unavailable, GatewayError):
            return  # The leases end by themselves.
        for job, result in zip(jobs, results):
            self._report("returned" if result["status"] == "settled" else "lost", job, result)

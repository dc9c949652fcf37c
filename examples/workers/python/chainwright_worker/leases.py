"""Renews the leases of jobs in hand."""

from __future__ import annotations

import threading
from typing import Dict, List

from .gateway import Gateway, GatewayError, Unavailable
from .job import Job


class Leases:
    """The jobs in hand. A thread extends their leases, because handlers may keep all other threads busy."""

    def __init__(self, gateway: Gateway, lease_ms: int) -> None:
        self._gateway = gateway
        self._every_s = lease_ms / 3_000
        self._held: Dict[str, Job] = {}
        self._left: List[Job] = []
        self._changed = threading.Condition()
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._renew, name="leases", daemon=True).start()

    def end(self, grace_s: float) -> List[Job]:
        """Waits until no job is in hand, for so long at most, and renews no more. Returns the jobs to give back."""
        with self._changed:
            self._changed.wait_for(lambda: not self._held, grace_s)
            self._ended.set()
            return [*self._held.values(), *self._left]

    def hold(self, job: Job) -> None:
        with self._changed:
            self._held[job.token] = job

    def leave(self, job: Job) -> None:
        """A job that is not begun, because the worker stops."""
        with self._changed:
            self._left.append(job)

    def drop(self, job: Job) -> None:
        with self._changed:
            self._held.pop(job.token, None)
            self._changed.notify_all()

    def held(self) -> List[Job]:
        with self._changed:
            return list(self._held.values())

    def _renew(self) -> None:
        # Every third: two renewals may fail before a lease ends.
        while not self._ended.wait(self._every_s):
            jobs = self.held()
            if not jobs:
                continue
            try:
                lost = self._gateway.extend(jobs)
            except (Unavailable, GatewayError):
                continue  # At the next turn; what is lost by then shows when its outcome is handed in.
            for job in jobs:
                # A row that is locked for a moment is `busy`, and not lost.
                if lost.get(job.token, "busy") != "busy":
                    job.lost.set()
                    self.drop(job)

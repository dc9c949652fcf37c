"""Counts the words of texts: the first step of a chain, whose second step runs in Go."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from typing import Any, Mapping

from chainwright_worker import Continue, Gateway, Job, Worker

_writing = threading.Lock()


def count(job: Job) -> Continue:
    if job.attempt <= job.input["failures"]:
        raise ValueError(f"no luck with attempt {job.attempt}")
    time.sleep(job.input["ms"] / 1_000)
    words = len(job.input["text"].split())
    return Continue("text.report", {"text": job.input["text"], "words": words, "ms": job.input["ms"]})


def report(event: str, job: Job, details: Mapping[str, Any]) -> None:
    """One line of JSON for each event."""
    line = json.dumps({"event": event, "id": job.id, "attempt": job.attempt, **details})
    with _writing:
        print(line, flush=True)


def main() -> None:
    gateway = Gateway(os.environ["GATEWAY_URL"], os.environ["GATEWAY_KEY"], f"python-{os.getpid()}")
    lease_ms = int(os.environ.get("LEASE_MS", "30000"))
    worker = Worker(gateway, {"text.count": count}, slots=4, lease_ms=lease_ms, report=report)
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    worker.run(grace_s=int(os.environ.get("GRACE_MS", "10000")) / 1_000)


if __name__ == "__main__":
    main()

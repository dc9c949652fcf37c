"""Claims jobs from a Chainwright gateway and runs them."""

from .gateway import Gateway, GatewayError
from .job import Continue, Fatal, Job, Reschedule
from .worker import Report, Worker

__all__ = ["Continue", "Fatal", "Gateway", "GatewayError", "Job", "Report", "Reschedule", "Worker"]

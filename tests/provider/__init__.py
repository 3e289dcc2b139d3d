"""A loopback provider that speaks the Messages API and fails in all the ways that providers do."""

from provider.faults import Fault, Plan, always, by_number, sometimes
from provider.server import KEY, Provider, Served, serve

__all__ = [
    "KEY",
    "Fault",
    "Plan",
    "Provider",
    "Served",
    "always",
    "by_number",
    "serve",
    "sometimes",
]

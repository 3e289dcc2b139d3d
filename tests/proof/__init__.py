"""The long batteries: `python -m tests.proof [NAME…]` runs them and writes docs/proof.md.

A battery is a function without parameters, marked by `proof.registry.battery`, in a module of this
package whose name begins with ``battery_``; it gives a `proof.registry.Record`.
"""

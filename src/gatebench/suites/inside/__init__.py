"""What runs inside the sandbox beside the tests: stdlib and pytest only.

This package is bound read-only into the sandbox and imported there by the suite's interpreter, not
by ours. Outside, only `channel` is imported (it needs nothing but the standard library).
"""

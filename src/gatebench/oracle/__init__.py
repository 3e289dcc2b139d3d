"""The oracle: hidden tests on a snapshot, one verdict per requirement.

`Oracle` is the front door; docs/oracle.md says which attacks are prevented and which detected.
"""

from gatebench.oracle.hidden_run import SHAPE
from gatebench.oracle.oracle import Judgement, Oracle, OracleSetup

__all__ = ["SHAPE", "Judgement", "Oracle", "OracleSetup"]

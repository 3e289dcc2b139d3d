"""The simulated team, pure: given what a role is shown, what it says next.

The gateway speaks for the team over HTTP (`reply`), a simulator plays it without processes
(`play`); both draw the same decisions from the same functions.
"""

from gatebench.model.usage import Role
from gatebench.team import challenger, reviewer, script, writer
from gatebench.team.profile import Profile
from gatebench.team.profiles import SHIPPED, load_profile, parse_profile
from gatebench.team.seat import Seat
from gatebench.team.tokens import usage
from gatebench.team.view import Feedback, Reply, Said, Text, ToolResult, ToolUse, View

__all__ = [
    "SHIPPED",
    "Feedback",
    "Profile",
    "Reply",
    "Said",
    "Seat",
    "Text",
    "ToolResult",
    "ToolUse",
    "View",
    "load_profile",
    "parse_profile",
    "reply",
]

_SPEAKERS = {
    Role.WORKER: script.speak,
    Role.WRITER: writer.speak,
    Role.REVIEWER_A: reviewer.speak,
    Role.REVIEWER_B: reviewer.speak,
    Role.CHALLENGER: challenger.speak,
}


def reply(seat: Seat, view: View) -> Reply:
    """What a role says next: a function of its arguments alone."""
    blocks = _SPEAKERS[seat.role](seat, view)
    return Reply(blocks, usage(seat, view, blocks))

"""The engine without a provider: the simulated team answers."""

from dataclasses import dataclass

from gatebench.gateway.errors import Refusal
from gatebench.gateway.site import Message, Request, Site
from gatebench.gateway.translate import message, message_of, tool_names, view_of
from gatebench.model.seeds import derive
from gatebench.model.usage import Usage
from gatebench.team import Reply, Seat, Text, reply

_ASIDE = Reply(
    (Text("Working on it"),),
    Usage(
        input_tokens=60,
        output_tokens=4,
        cache_read_input_tokens=0,
        cache_creation_input_tokens=0,
    ),
)
"""What the agent's side requests get (a title for the session, a check of the quota)."""


@dataclass(frozen=True)
class ScriptedEngine:
    """One seat of the simulated team.

    Answers depend on the seat and the request alone, so a request sent twice gets one answer.
    """

    seat: Seat

    async def answer(self, site: Site, request: Request) -> Message:
        """What the seat's role says next; requests without tools are asides and move nothing.

        Raises:
            Refusal: the request belongs to no conversation.
        """
        if not tool_names(request):
            name = derive(self.seat.seed, site.spec.name, "aside")
            content = [{"type": "text", "text": "Working on it"}]
            return message(f"msg_{name:020d}", str(request["model"]), content, _ASIDE)
        view = view_of(request)
        if not view.prompt:
            raise Refusal(400, "messages: no user message with text was found")
        return message_of(reply(self.seat, view), self.seat, request)

    async def count(self, site: Site, request: Request) -> int:
        """A plausible count, from the profile and not from the request."""
        del site, request
        counts = self.seat.profile.tokens
        return counts.system + counts.prompt

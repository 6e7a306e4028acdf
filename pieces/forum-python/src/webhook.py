"""What the forum sends: a signed request for every post and every press of a button."""

from typing import Any

import sdk
from componentize_py_types import Err
from wit_world.exports.channel import (
    Addressing,
    Event,
    Happening,
    Happening_Action,
    Happening_Message,
    Place_Conversation,
    Received,
)
from wit_world.imports.types import (
    ActionEvent,
    Author,
    AuthorKind,
    Conversation,
    HttpReply,
    InboundRequest,
    Message,
)

ACCOUNT = "forum"
"""A forum has one tenant and one place; its conversations are threads."""
ROOM = "board"
PRESS_ANSWER_WITHIN_MS = 5_000
"""How long the forum waits for the response to a press."""

OK = HttpReply(200, [], b"")


def read(request: InboundRequest) -> Received:
    """A delivery as an event; a kind that we do not know is acknowledged and forgotten. Raises a line for the operator."""
    raw = request.body.decode(errors="replace")
    try:
        webhook = Fields(sdk.loads(raw), "the body")
    except ValueError:
        raise Err("the body is not JSON, or nested too deeply") from None
    found = happening(webhook, raw)
    return Received(OK, [event(webhook, *found)] if found else [])


class Fields:
    """An object of somebody else's JSON, read field by field: what has another shape is said by its name, never by its text."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise Err(f"{where} is no object")
        self._fields = value
        self._where = where

    def object(self, name: str) -> "Fields":
        return Fields(self._fields.get(name), f"{name} of {self._where}")

    def text(self, name: str) -> str:
        return self._of_type(str, name, "text")

    def optional_text(self, name: str) -> str | None:
        return None if self._fields.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        return self._of_type(bool, name, "true or false")

    def timestamp(self, name: str) -> int:
        value = self._of_type(int, name, "time")
        # A boolean is a number to Python.
        if isinstance(value, bool) or not 0 <= value < 2**64:
            raise Err(f"{name} of {self._where} is no time")
        return value

    def _of_type(self, kind: type, name: str, what: str) -> Any:
        value = self._fields.get(name)
        if not isinstance(value, kind):
            raise Err(f"{name} of {self._where} is no {what}")
        return value


def happening(webhook: Fields, raw: str) -> tuple[Addressing, Happening] | None:
    match webhook.text("kind"):
        case "post":
            post = webhook.object("post")
            addressing, text = addressed(post.text("text"), webhook.object("bot").text("name"))
            sent, reply_to = post.timestamp("created_at"), post.optional_text("reply_to")
            message = Message(post.text("id"), text, author(webhook), sent, reply_to, raw)
            return addressing, Happening_Message(message)
        case "press":
            button, post_id = webhook.text("button"), webhook.text("post_id")
            action = ActionEvent(button, None, post_id, author(webhook), None, raw)
            return Addressing.NONE, Happening_Action(action)
        case _:
            return None


def event(webhook: Fields, addressing: Addressing, what: Happening) -> Event:
    place = Place_Conversation(Conversation(ACCOUNT, ROOM, webhook.text("thread")))
    return Event(webhook.text("delivery"), place, addressing, what, OK, PRESS_ANSWER_WITHIN_MS)


def author(webhook: Fields) -> Author:
    user = webhook.object("user")
    own = webhook.object("bot").text("id")
    if user.text("id") == own:
        kind = AuthorKind.OWN
    else:
        kind = AuthorKind.BOT if user.flag("bot") else AuthorKind.PERSON
    return Author(user.text("id"), user.text("name"), kind, False)


def addressed(text: str, bot: str) -> tuple[Addressing, str]:
    """Whether a text names the bot, and the text without the name."""
    mention = f"@{bot}"
    if mention in text:
        return Addressing.MENTION, text.replace(mention, "", 1).strip()
    return Addressing.NONE, text

"""The forum piece of `pieces/forum`, in Python: the same platform, the same promises.

One post per question. The step of the question is part of each button's id, and the state tells which step is current; replies
are told apart by when they were sent. Every post carries the idempotency key of what the host owes, by which the forum
recognises a repeat: a crash between posting and recording leaves no twin.
"""

import json
import re
from dataclasses import asdict, dataclass, field

import sdk
import webhook
import wit_world
from componentize_py_types import Err
from wit_world.exports import channel, channel_questions
from wit_world.exports.channel_questions import (
    Parsed,
    Parsed_Answer,
    Parsed_Dismiss,
    Parsed_Ignore,
    Parsed_Partial,
    Parsed_Rejected,
    Parsed_Stale,
    Parsed_StateUnreadable,
    QuestionChange,
    Rendered,
    Rendering,
    Shared,
)
from wit_world.imports import http
from wit_world.imports.types import (
    ActionEvent,
    Answer,
    Author,
    Call,
    Context,
    Conversation,
    Done,
    FailureKind_Gone,
    FailureKind_StateUnreadable,
    InboundRequest,
    Interaction,
    Interaction_Action,
    Interaction_Message,
    Message,
    Outcome,
    Outcome_Output,
    Question,
    QuestionMessage,
    QuestionOutput,
    QuestionRecord,
    Settings,
)

SLOT = "forum"
"""The slot of the manifest."""
DISMISS = "dismiss"
"""What stands in a button's id in the place of an option's index."""
PART_CHARS_MAX = 4_000


class Unreadable(Exception):
    """A state that another version wrote and this one cannot read."""


@dataclass
class Progress:
    """How far a call is: the question that is asked, and what was picked before."""

    step: int = 0
    picks: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, question: QuestionRecord) -> "Progress":
        if question.state is None:
            return cls()
        try:
            match sdk.loads(question.state):
                case {"step": int(step), "picks": [*picks]} if all(isinstance(pick, str) for pick in picks):
                    return cls(step, picks)
                case _:
                    raise Unreadable
        except ValueError:
            raise Unreadable from None


class Channel(wit_world.exports.Channel):
    def connect(self, context: Context, account: str) -> channel.Connected:
        me = sdk.read_json(sdk.send(sdk.Call("GET", SLOT, "/me")))
        data = json.dumps({"id": me["id"], "name": me["name"]})
        return channel.Connected(data, f"@{me['name']} on the forum", [], None)

    def receive(self, settings: Settings, request: InboundRequest) -> channel.Received:
        return webhook.read(request)

    def identity(self, context: Context, conversation: Conversation, author: Author) -> channel.Profile:
        user = sdk.read_json(sdk.send(sdk.Call("GET", SLOT, f"/users/{sdk.segment(author.id)}")))
        return channel.Profile(user["name"], user.get("email"), [], False)

    def split(self, settings: Settings, text: str) -> list[str]:
        return sdk.split(text, PART_CHARS_MAX)

    def post(self, context: Context, conversation: Conversation, part: str) -> channel.Posted:
        message_id, _ = post(context, conversation, part, [])
        return channel.Posted(message_id, None)

    # The manifest does not list these hooks, so they are never called; a piece exports them all the same.

    def started(self, context: Context, conversation: Conversation, message_id: str | None) -> Done:
        raise sdk.refused("not a hook of this piece")

    def edit(self, context: Context, conversation: Conversation, message_id: str, part: str) -> Done:
        raise sdk.refused("not a hook of this piece")

    def remove(self, context: Context, conversation: Conversation, message_id: str) -> Done:
        raise sdk.refused("not a hook of this piece")


class ChannelQuestions(wit_world.exports.ChannelQuestions):
    def supports(self, settings: Settings, conversation: Conversation) -> bool:
        return True

    def render(self, context: Context, conversation: Conversation, calls: list[Call]) -> Rendering:
        if not calls:
            raise sdk.refused("asked to render no call")
        call = calls[0]
        message = ask(context, conversation, call, 0)
        return Rendering([Rendered([call.tool_call_id], [message], None)], None)

    def parse(
        self,
        settings: Settings,
        conversation: Conversation,
        call: Call,
        question: QuestionRecord,
        interaction: Interaction,
        settled: bool,
    ) -> Parsed:
        try:
            match interaction:
                case Interaction_Message(message):
                    return parse_reply(call, question, message)
                case Interaction_Action(event):
                    return parse_press(call, question, event)
                case _:
                    return Parsed_Ignore()
        except Unreadable:
            return Parsed_StateUnreadable()

    def updated(self, shared: Shared, interaction: Interaction | None) -> QuestionChange:
        try:
            step = Progress.of(shared.question).step
        except Unreadable:
            raise unreadable_state() from None
        message = ask(shared.context, shared.conversation, shared.call, step)
        return QuestionChange([*shared.question.messages, message], None, None, None)

    def settled(self, shared: Shared, outcome: Outcome) -> QuestionChange:
        text = "Answered." if isinstance(outcome, Outcome_Output) else "Dismissed."
        body = {"text": text, "buttons": []}
        edits = [
            sdk.Call("PATCH", SLOT, f"/posts/{sdk.segment(message.id)}", body, http.Priority.CLOSING)
            for message in shared.question.messages
        ]
        for result in sdk.send_all(edits):
            # A post that somebody has deleted has no controls left.
            if isinstance(result, Err) and not isinstance(result.value.kind, FailureKind_Gone):
                raise result
        return QuestionChange(None, None, None, None)

    def rejected(self, shared: Shared, interaction: Interaction, reason: str) -> Done:
        return notice(shared, reason)

    def denied(self, shared: Shared, interaction: Interaction) -> Done:
        return notice(shared, "You may not answer this question.")

    def stale(self, shared: Shared, interaction: Interaction) -> Done:
        return notice(shared, "This question is no longer open, or the answer came before it was asked.")


def unreadable_state() -> Err:
    """What makes the host post the question again, with a state of this version."""
    return sdk.failure(FailureKind_StateUnreadable(), "the state is another version's")


def parse_reply(call: Call, question: QuestionRecord, message: Message) -> Parsed:
    text = message.text.strip()
    if text == "/dismiss":
        return Parsed_Dismiss()
    number = re.fullmatch(r"/answer ([0-9]+)", text)
    if number is None:
        return Parsed_Ignore()
    posted_at = question.messages[-1].posted_at
    if posted_at is not None and message.date_sent is not None and message.date_sent < posted_at:
        return Parsed_Stale()
    return choose(call, Progress.of(question), index(number[1], counted_from=1))


def parse_press(call: Call, question: QuestionRecord, event: ActionEvent) -> Parsed:
    match event.action_id.split(":"):
        case ["q", call_id, step, option] if call_id == call.tool_call_id:
            progress = Progress.of(question)
            if step != str(progress.step):
                return Parsed_Stale()
            return Parsed_Dismiss() if option == DISMISS else choose(call, progress, index(option, counted_from=0))
        case _:
            return Parsed_Ignore()


def index(digits: str, counted_from: int) -> int | None:
    """Which option a number names; a number with more digits than there can be options names none."""
    return int(digits) - counted_from if re.fullmatch(r"[0-9]{1,9}", digits) else None


def choose(call: Call, progress: Progress, index: int | None) -> Parsed:
    questions = call.input.questions
    options = question_at(call, progress.step).options
    if index is None or not 0 <= index < len(options):
        return Parsed_Rejected(f"Reply with a number from 1 to {len(options)}.")
    picks = [*progress.picks, options[index].label]
    if len(picks) < len(questions):
        return Parsed_Partial(json.dumps(asdict(Progress(progress.step + 1, picks))))
    answers = [Answer(question.header, [pick], None) for question, pick in zip(questions, picks)]
    return Parsed_Answer(QuestionOutput(answers))


def question_at(call: Call, step: int) -> Question:
    if not 0 <= step < len(call.input.questions):
        raise Unreadable
    return call.input.questions[step]


def ask(context: Context, conversation: Conversation, call: Call, step: int) -> QuestionMessage:
    try:
        question = question_at(call, step)
    except Unreadable:
        raise unreadable_state() from None
    lines = [question.question, *(f"{number}. {option.label}" for number, option in enumerate(question.options, 1))]
    choices = [*((str(index), option.label) for index, option in enumerate(question.options)), (DISMISS, "Dismiss")]
    buttons = [{"id": f"q:{call.tool_call_id}:{step}:{option}", "label": label} for option, label in choices]
    message_id, created_at = post(context, conversation, "\n".join(lines), buttons)
    return QuestionMessage(message_id, created_at, step)


def post(context: Context, conversation: Conversation, text: str, buttons: list[dict[str, str]]) -> tuple[str, int]:
    """Writes a post; its id, and when the forum wrote it."""
    body = {"text": text, "buttons": buttons, "client_id": context.idempotency_key.hex()}
    path = f"/threads/{sdk.segment(conversation.thread)}/posts"
    match sdk.read_json(sdk.send(sdk.Call("POST", SLOT, path, body))):
        case {"id": str(message_id), "created_at": int(created_at)}:
            return message_id, created_at
        case _:
            raise sdk.perhaps_sent("the response is no post")


def notice(shared: Shared, text: str) -> Done:
    post(shared.context, shared.conversation, text, [])
    return Done(None)

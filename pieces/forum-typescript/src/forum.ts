// The forum piece of `pieces/forum`, in TypeScript: the same platform, the same promises.
//
// One post per question. The step of the question is part of each button's id, and the state tells which step is current; replies
// are told apart by when they were sent. Every post carries the idempotency key of what the host owes, by which the forum
// recognises a repeat: a crash between posting and recording leaves no twin.

import type * as Channel from "frogbot:piece/channel@0.1.0";
import type * as Questions from "frogbot:piece/channel-questions@0.1.0";
import type {
  ActionEvent,
  Call,
  Context,
  Conversation,
  Done,
  Message,
  Question,
  QuestionMessage,
  QuestionRecord,
} from "frogbot:piece/types@0.1.0";
import { failure, isFailure, json, perhapsSent, refused, segment, send, sendAll, split } from "./sdk.js";
import { read } from "./webhook.js";

/** The slot of the manifest. */
const SLOT = "forum";
/** What stands in a button's id in the place of an option's index. */
const DISMISS = "dismiss";
const PART_UNITS_MAX = 4_000;

/** How far a call is: the question that is asked, and what was picked before. */
interface Progress {
  step: number;
  picks: string[];
}

/** A hook that the manifest does not list is never called. */
const notListed = (): never => {
  throw refused("not a hook of this piece");
};

export const channel: typeof Channel = {
  connect() {
    const me = json(send({ method: "GET", slot: SLOT, path: "/me" }));
    return { data: JSON.stringify({ id: me.id, name: me.name }), summary: `@${me.name} on the forum`, lacks: [] };
  },

  receive: (_, request) => read(request),

  identity(_context, _conversation, author) {
    const user = json(send({ method: "GET", slot: SLOT, path: `/users/${segment(author.id)}` }));
    const email = typeof user.email === "string" ? { email: user.email as string } : {};
    return { name: String(user.name), ...email, roles: [], external: false };
  },

  split: (_, text) => split(text, PART_UNITS_MAX),

  post: (context, conversation, part) => ({ messageId: post(context, conversation, part, []).id }),

  started: notListed,
  edit: notListed,
  remove: notListed,
};

export const channelQuestions: typeof Questions = {
  supports: () => true,

  render(context, conversation, calls) {
    const call = calls[0];
    if (call === undefined) throw refused("asked to render no call");
    return { entries: [{ calls: [call.toolCallId], messages: [ask(context, conversation, call, 0)] }] };
  },

  parse(_settings, _conversation, call, question, interaction) {
    try {
      switch (interaction.tag) {
        case "message":
          return parseReply(call, question, interaction.val);
        case "action":
          return parsePress(call, question, interaction.val);
        case "modal-submit":
          return { tag: "ignore" };
      }
    } catch (thrown) {
      if (thrown instanceof Unreadable) return { tag: "state-unreadable" };
      throw thrown;
    }
  },

  updated({ context, conversation, call, question }) {
    const { step } = stateOf(question);
    return { messages: [...question.messages, ask(context, conversation, call, step)] };
  },

  settled({ question }, outcome) {
    const text = outcome.tag === "output" ? "Answered." : "Dismissed.";
    const close = (message: QuestionMessage) =>
      ({ method: "PATCH", slot: SLOT, path: `/posts/${segment(message.id)}`, json: { text, buttons: [] }, priority: "closing" }) as const;
    for (const result of sendAll(question.messages.map(close))) {
      // A post that somebody has deleted has no controls left.
      if (isFailure(result) && result.kind.tag !== "gone") throw result;
    }
    return {};
  },

  rejected: (shared, _, reason) => notice(shared, reason),
  denied: (shared) => notice(shared, "You may not answer this question."),
  stale: (shared) => notice(shared, "This question is no longer open, or the answer came before it was asked."),
};

/** A state that another version wrote and this one cannot read. */
class Unreadable extends Error {}

function progress(question: QuestionRecord): Progress {
  if (question.state === undefined) return { step: 0, picks: [] };
  let state: Partial<Progress> | null;
  try {
    state = JSON.parse(question.state);
  } catch {
    throw new Unreadable();
  }
  const { step, picks } = state ?? {};
  const isOurs = Number.isInteger(step) && Array.isArray(picks) && picks.every((pick) => typeof pick === "string");
  if (!isOurs) throw new Unreadable();
  return { step: step!, picks: picks! };
}

/** The same for a hook that acts: the failure that makes the host post the question again. */
function stateOf(question: QuestionRecord): Progress {
  try {
    return progress(question);
  } catch {
    throw failure({ tag: "state-unreadable" }, "the state is another version's");
  }
}

function parseReply(call: Call, question: QuestionRecord, message: Message): Questions.Parsed {
  const text = message.text.trim();
  if (text === "/dismiss") return { tag: "dismiss" };
  const number = /^\/answer (\d+)$/.exec(text)?.[1];
  if (number === undefined) return { tag: "ignore" };
  const postedAt = question.messages.at(-1)?.postedAt;
  if (postedAt !== undefined && message.dateSent !== undefined && message.dateSent < postedAt) return { tag: "stale" };
  return choose(call, progress(question), Number(number) - 1);
}

function parsePress(call: Call, question: QuestionRecord, event: ActionEvent): Questions.Parsed {
  const [kind, id, step, option, ...more] = event.actionId.split(":");
  if (kind !== "q" || id !== call.toolCallId || option === undefined || more.length > 0) return { tag: "ignore" };
  const current = progress(question);
  if (step !== String(current.step)) return { tag: "stale" };
  if (option === DISMISS) return { tag: "dismiss" };
  return choose(call, current, /^\d+$/.test(option) ? Number(option) : -1);
}

function choose(call: Call, { step, picks }: Progress, index: number): Questions.Parsed {
  const { questions } = call.input;
  const { options } = questionAt(call, step);
  const option = options[index];
  if (option === undefined) return { tag: "rejected", val: `Reply with a number from 1 to ${options.length}.` };
  const picked = [...picks, option.label];
  if (picked.length < questions.length) return { tag: "partial", val: JSON.stringify({ step: step + 1, picks: picked }) };
  const answers = questions.map(({ header }, at) => ({ header, selected: [picked[at]!] }));
  return { tag: "answer", val: { answers } };
}

function questionAt(call: Call, step: number): Question {
  const question = call.input.questions[step];
  if (question === undefined) throw new Unreadable();
  return question;
}

/** A button below a post. */
interface Button {
  id: string;
  label: string;
}

function ask(context: Context, conversation: Conversation, call: Call, step: number): QuestionMessage {
  const question = call.input.questions[step];
  if (question === undefined) throw failure({ tag: "state-unreadable" }, `there is no question ${step}`);
  const { options } = question;
  const lines = [question.question, ...options.map(({ label }, index) => `${index + 1}. ${label}`)];
  const button = (option: string, label: string): Button => ({ id: `q:${call.toolCallId}:${step}:${option}`, label });
  const buttons = [...options.map(({ label }, index) => button(String(index), label)), button(DISMISS, "Dismiss")];
  const { id, createdAt } = post(context, conversation, lines.join("\n"), buttons);
  return { id, postedAt: createdAt, question: step };
}

/** A post as the forum reports it. */
interface Post {
  id: string;
  createdAt: bigint;
}

function post(context: Context, conversation: Conversation, text: string, buttons: Button[]): Post {
  const clientId = Array.from(context.idempotencyKey, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const path = `/threads/${segment(conversation.thread)}/posts`;
  const posted = json(send({ method: "POST", slot: SLOT, path, json: { text, buttons, client_id: clientId } }));
  const { id, created_at: createdAt } = posted ?? {};
  if (typeof id !== "string" || !Number.isSafeInteger(createdAt)) throw perhapsSent("the response is no post");
  return { id, createdAt: BigInt(createdAt) };
}

function notice({ context, conversation }: Questions.Shared, text: string): Done {
  post(context, conversation, text, []);
  return {};
}

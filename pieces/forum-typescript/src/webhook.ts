// What the forum sends: a signed request for every post and every press of a button.

import type { Addressing, Event, Happening, InboundRequest, Received } from "frogbot:piece/channel@0.1.0";
import type { Author } from "frogbot:piece/types@0.1.0";

/** A forum has one tenant and one place; its conversations are threads. */
const ACCOUNT = "forum";
const ROOM = "board";
/** How long the forum waits for the response to a press. */
const PRESS_ANSWER_WITHIN_MS = 5_000;

const OK = { status: 200, headers: [], body: new Uint8Array() };

/** A delivery as an event; a kind that we do not know is acknowledged and forgotten. Throws a line for the operator. */
export function read(request: InboundRequest): Received {
  const raw = new TextDecoder().decode(request.body);
  const webhook = parsed(raw);
  const found = happening(webhook, raw);
  return { reply: OK, events: found === undefined ? [] : [event(webhook, ...found)] };
}

function parsed(raw: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    throw "the body is not JSON";
  }
  return new Fields(value, "the body");
}

function happening(webhook: Fields, raw: string): [Addressing, Happening] | undefined {
  const kind = webhook.text("kind");
  if (kind === "post") {
    const post = webhook.object("post");
    const [addressing, text] = addressed(post.text("text"), webhook.object("bot").text("name"));
    const replyTo = post.optionalText("reply_to");
    const message = {
      id: post.text("id"),
      text,
      author: author(webhook),
      dateSent: post.timestamp("created_at"),
      ...(replyTo === undefined ? {} : { replyTo }),
      raw,
    };
    return [addressing, { tag: "message", val: message }];
  }
  if (kind === "press") {
    const action = { actionId: webhook.text("button"), messageId: webhook.text("post_id"), user: author(webhook), raw };
    return ["none", { tag: "action", val: action }];
  }
  return undefined;
}

function event(webhook: Fields, addressing: Addressing, happening: Happening): Event {
  return {
    deliveryId: webhook.text("delivery"),
    place: { tag: "conversation", val: { account: ACCOUNT, room: ROOM, thread: webhook.text("thread") } },
    addressing,
    happening,
    acknowledgement: OK,
    answerWithin: PRESS_ANSWER_WITHIN_MS,
  };
}

function author(webhook: Fields): Author {
  const user = webhook.object("user");
  const id = user.text("id");
  const isOwn = id === webhook.object("bot").text("id");
  return { id, name: user.text("name"), kind: isOwn ? "own" : user.flag("bot") ? "bot" : "person", external: false };
}

/** Whether a text names the bot, and the text without the name. */
function addressed(text: string, bot: string): [Addressing, string] {
  const mention = `@${bot}`;
  return text.includes(mention) ? ["mention", text.replace(mention, () => "").trim()] : ["none", text];
}

/** An object of somebody else's JSON, read field by field: what has another shape is said by its name and never by its text. */
class Fields {
  private readonly fields: Record<string, unknown>;

  constructor(
    value: unknown,
    private readonly where: string,
  ) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw `${where} is no object`;
    this.fields = value as Record<string, unknown>;
  }

  object(name: string): Fields {
    return new Fields(this.fields[name], `${name} of ${this.where}`);
  }

  text(name: string): string {
    const value = this.fields[name];
    return typeof value === "string" ? value : this.isNo(name, "text");
  }

  optionalText(name: string): string | undefined {
    return this.fields[name] == null ? undefined : this.text(name);
  }

  flag(name: string): boolean {
    const value = this.fields[name];
    return typeof value === "boolean" ? value : this.isNo(name, "true or false");
  }

  timestamp(name: string): bigint {
    const value = this.fields[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : this.isNo(name, "time");
  }

  private isNo(name: string, what: string): never {
    throw `${name} of ${this.where} is no ${what}`;
  }
}

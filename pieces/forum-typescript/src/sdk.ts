// What every piece needs and no platform has: failures that tell the host what to do, requests, the state of a question.
// Copy it into a piece of your own.

import * as http from "frogbot:piece/http@0.1.0";
import type { Failure, FailureKind } from "frogbot:piece/types@0.1.0";
import type { Priority, Response } from "frogbot:piece/http@0.1.0";

/** How many requests the host sends at once. */
const BATCH_MAX = 32;
/** How many parts the host takes of one reply. */
const PARTS_MAX = 100;

/** What an acting hook throws. The reason is for the operator: no payload, no secret. */
export function failure(kind: FailureKind, reason: string): Failure {
  return { kind, reason };
}

export const refused = (reason: string): Failure => failure({ tag: "refused" }, reason);
export const perhapsSent = (reason: string): Failure => failure({ tag: "perhaps-sent" }, reason);

export function retry(reason: string, waitMs?: number): Failure {
  return failure({ tag: "retry", val: waitMs }, reason);
}

/** Text as one segment of a path: nothing in it can lead elsewhere. */
export function segment(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

export interface Call {
  method: string;
  slot: string;
  path: string;
  json?: unknown;
  priority?: Priority;
}

/** Sends one request; the response of a platform that did what it was asked, else throws the failure that fits. */
export function send(call: Call): Response {
  try {
    return accepted(http.send(request(call)));
  } catch (thrown) {
    throw isHttpError(thrown) ? unsent(thrown.payload) : thrown;
  }
}

/** Sends all of them at once; for each its response, or the failure that fits. */
export function sendAll(calls: Call[]): (Response | Failure)[] {
  const results: (Response | Failure)[] = [];
  for (let start = 0; start < calls.length; start += BATCH_MAX) {
    for (const result of http.sendAll(calls.slice(start, start + BATCH_MAX).map(request))) {
      results.push(result.tag === "ok" ? judged(result.val) : unsent(result.val));
    }
  }
  return results;
}

export function isFailure(result: Response | Failure): result is Failure {
  return "kind" in result;
}

/** The body of a response. It may have been done when it cannot be read: the platform has answered. */
export function json(response: Response): any {
  try {
    return JSON.parse(new TextDecoder().decode(response.body));
  } catch {
    throw perhapsSent("the response is not JSON");
  }
}

/** The agent's text as parts of at most so many UTF-16 units, cut between paragraphs, else lines, else words, else anywhere. */
export function split(text: string, unitsMax: number): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > unitsMax && parts.length < PARTS_MAX - 1) {
    const breaks = ["\n\n", "\n", " "].map((separator) => rest.lastIndexOf(separator, unitsMax));
    // A break further forward than half of the part would leave many small parts.
    const part = rest.slice(0, breaks.find((at) => at >= unitsMax / 2) ?? whole(rest, unitsMax));
    parts.push(part.trimEnd());
    rest = rest.slice(part.length).trimStart();
  }
  if (rest.length > unitsMax) rest = `${rest.slice(0, whole(rest, unitsMax - 1))}…`;
  return rest === "" ? parts : [...parts, rest];
}

/** The last place before this one where no character is cut in two. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? at - 1 : at;
}

function request(call: Call): http.Request {
  const body = call.json === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(call.json));
  const headers: [string, string][] = call.json === undefined ? [] : [["content-type", "application/json; charset=utf-8"]];
  return { slot: call.slot, method: call.method, path: call.path, headers, body, priority: call.priority ?? "normal" };
}

function accepted(response: Response): Response {
  const result = judged(response);
  if (isFailure(result)) throw result;
  return result;
}

function judged(response: Response): Response | Failure {
  const { status } = response;
  const reason = `the platform answered ${status}`;
  if (status >= 200 && status < 300) return response;
  if (status === 408 || status === 429 || status >= 500) return retry(reason, retryAfterMs(response));
  return status === 404 || status === 410 ? failure({ tag: "gone" }, reason) : refused(reason);
}

function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.find(([name]) => name === "retry-after")?.[1].trim();
  const waitMs = value !== undefined && /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
  // The contract has 32 bits for it: what does not fit says nothing.
  return waitMs !== undefined && waitMs < 2 ** 32 ? waitMs : undefined;
}

function isHttpError(thrown: unknown): thrown is { payload: http.Error } {
  return typeof thrown === "object" && thrown !== null && "payload" in thrown;
}

function unsent(error: http.Error): Failure {
  switch (error.tag) {
    case "refused":
      return refused(error.val);
    case "rate-limited":
      return retry("waiting out a rate limit", error.val);
    case "unreachable":
      return retry("the platform cannot be reached");
    case "too-late":
      return retry("the hook's deadline has passed");
    case "perhaps-sent":
      return perhapsSent(error.val);
  }
}

// What the Chat SDK (npm `chat` with `@chat-adapter/slack`) makes of a request of Slack.
//
//   SIGNING_SECRET=… BOT_USER_ID=… node chat_adapter.mjs
//
// Reads one JSON document per line, `{"headers": {…}, "body": "…"}`, and answers each with one line: the status, and the events
// that its handlers were given. Every request meets a bot that knows nothing of the ones before.
import http from 'node:http';
import readline from 'node:readline';
import { Chat } from 'chat';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';

// The Web API, as far as it is asked who somebody is: everybody is called as their id.
const api = http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const id = new URLSearchParams(body).get('user') ?? process.env.BOT_USER_ID;
  const user = { id, name: id, real_name: id, profile: { display_name: id, real_name: id } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ok: true, user_id: process.env.BOT_USER_ID, bot_id: 'B0BOT', team_id: 'T1', user, channel: { id: 'C1', name: 'general' }, messages: [] }));
});
await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve));

function bot(events) {
  const slack = createSlackAdapter({
    botToken: 'xoxb-1', signingSecret: process.env.SIGNING_SECRET, botUserId: process.env.BOT_USER_ID, apiUrl: `http://127.0.0.1:${api.address().port}/api/`,
  });
  const chat = new Chat({ userName: 'frogbot', adapters: { slack }, state: createMemoryState(), concurrency: 'concurrent', logger: 'silent' });
  const message = (addressing) => (thread, { id, text, author }) => {
    events.push({ kind: 'message', addressing, id, text, user: author.userId, thread: thread.id });
  };
  chat.onNewMention(message('mention'));
  chat.onDirectMessage(message('direct'));
  chat.onNewMessage(/[\s\S]*/, message('none'));
  chat.onAction(({ actionId, value, messageId, threadId, user, triggerId }) => {
    events.push({ kind: 'action', action: actionId, value, id: messageId, thread: threadId, user: user.userId, trigger: triggerId });
  });
  chat.onModalSubmit(({ callbackId, user, values }) => {
    events.push({ kind: 'form', callback: callbackId, user: user.userId, values });
  });
  return chat;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { headers, body } = JSON.parse(line);
  const events = [];
  const pending = [];
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body });
  const response = await bot(events).webhooks.slack(request, { waitUntil: (work) => pending.push(work) });
  await Promise.allSettled(pending);
  console.log(JSON.stringify({ status: response.status, body: await response.text(), events }));
}
process.exit(0);

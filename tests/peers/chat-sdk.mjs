// The peer of the Slack benchmark: the same conversation on the Chat SDK, with its Slack adapter and its Redis state.
// `SLACK_API`, `REDIS_URL`, `SIGNING_SECRET` and `BOT_TOKEN` say with what; the port is any, and is printed.
import http from 'node:http';
import { Actions, Button, Card, CardText, Chat } from 'chat';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createRedisState } from '@chat-adapter/state-redis';

const { SLACK_API, REDIS_URL, SIGNING_SECRET, BOT_TOKEN } = process.env;
const OPEN_MS = 30 * 86_400_000;
const SETTLED_MS = 86_400_000;
const LOCK_MS = 10_000;

const state = createRedisState({ url: REDIS_URL });
const slack = createSlackAdapter({ botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET, apiUrl: SLACK_API, botUserId: 'U0BOT' });
const bot = new Chat({ userName: 'frogbot', adapters: { slack }, state, concurrency: 'concurrent', logger: 'silent' });

bot.onNewMention(async (thread) => {
  const options = ['Red', 'Blue'].map((label, index) => Button({ id: 'answer', label, value: String(index) }));
  const sent = await thread.post(Card({ title: 'Color', children: [CardText('Which color?'), Actions(options)] }));
  await state.set(`question:${sent.id}`, { id: sent.id, revision: 0, settled: false }, OPEN_MS);
});

bot.onAction('answer', async (event) => {
  const lock = await state.acquireLock(`lock:${event.messageId}`, LOCK_MS);
  if (!lock) return;
  try {
    const key = `question:${event.messageId}`;
    const question = await state.get(key);
    if (!question || question.settled) return;
    await state.set(key, { ...question, settled: true, answer: event.value }, SETTLED_MS);
    await slack.editMessage(event.threadId, event.messageId, { markdown: `Answered: ${event.value}` });
    await event.thread.post('Continuing.');
  } finally {
    await state.releaseLock(lock);
  }
});

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const webhook = new Request('http://peer/', { method: 'POST', headers: request.headers, body: Buffer.concat(chunks) });
  const answer = await bot.webhooks.slack(webhook, { waitUntil: () => {} });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

const server = http.createServer((request, response) => {
  serve(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));

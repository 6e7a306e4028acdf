// The Slack of npm `emulate`: a stateful Web API with threads, ephemeral messages, and trigger ids that expire after three seconds.
//
//   SIGNING_SECRET=… BOT_TOKEN=… node emulate_slack.mjs
//
// Prints one line of JSON when it is ready: where it is, and who is who. It has routes of its own: `POST /peer/deliver-to` with
// a URL, which from then on gets the signed events (the package has no setting for that); `POST /peer/expire-triggers`, as if their
// three seconds were over; `GET /peer/state`, everything that was posted. It ends with its standard input, so that it never outlives a test.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const APP = { app_id: 'A0FROGBOT', bot_id: 'B0FROGBOT', bot_user_id: 'U0FROGBOT' };
const PEOPLE = ['ann', 'ben', 'cleo'];

const dist = path.resolve('node_modules/emulate/dist');
const holdsThePlugin = (name) => /^dist-.*\.js$/.test(name) && fs.readFileSync(path.join(dist, name), 'utf8').includes('var slackPlugin = ');
const plugin = fs.readdirSync(dist).find(holdsThePlugin);
if (!plugin) throw new Error(`no Slack in ${dist}; is this emulate@0.12.2?`);
const { slackPlugin, getSlackStore } = await import(pathToFileURL(path.join(dist, plugin)));

const freePort = () => new Promise((resolve, reject) => {
  const server = net.createServer().once('error', reject);
  server.listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => resolve(port)); });
});
const port = await freePort();

let slackStore;
const register = slackPlugin.register;
slackPlugin.register = function (app, store, webhooks, ...rest) {
  const registered = register.call(this, app, store, webhooks, ...rest);
  slackStore = getSlackStore(store);
  let subscription;
  app.post('/peer/deliver-to', async (c) => {
    if (subscription) webhooks.unregister(subscription.id);
    subscription = webhooks.register({ url: await c.req.text(), events: ['*'], active: true, owner: 'slack' });
    return c.json({ ok: true });
  });
  // Slack takes the arguments of these in the address as well; the package only takes them in the body.
  for (const method of ['users.info', 'conversations.replies', 'conversations.history']) {
    app.get(`/api/${method}`, async (c) => {
      const { pathname, search } = new URL(c.req.url);
      const headers = { authorization: c.req.header('authorization') ?? '', 'content-type': 'application/x-www-form-urlencoded' };
      const response = await fetch(`http://127.0.0.1:${port}${pathname}`, { method: 'POST', headers, body: search.slice(1) });
      return c.json(await response.json());
    });
  }
  app.post('/peer/expire-triggers', (c) => {
    for (const trigger of slackStore.viewTriggers.all()) slackStore.viewTriggers.update(trigger.id, { expires_at: 0 });
    return c.json({ ok: true });
  });
  app.get('/peer/state', (c) => c.json({
    messages: slackStore.messages.all(),
    ephemerals: slackStore.ephemeralMessages.all(),
    views: slackStore.views.all(),
  }));
  return registered;
};

const { createEmulator } = await import('emulate');
await createEmulator({
  service: 'slack',
  port,
  seed: {
    slack: {
      signing_secret: process.env.SIGNING_SECRET,
      oauth_apps: [{ ...APP, client_id: 'frogbot', client_secret: 'unused', name: 'FrogBot', bot_name: 'frogbot', redirect_uris: [], scopes: [] }],
      users: PEOPLE.map((name) => ({ name, email: `${name}@example.com` })),
      channels: [{ name: 'painting' }],
      tokens: [
        { token: process.env.BOT_TOKEN, user: APP.bot_user_id, app_id: APP.app_id, bot_id: APP.bot_id, bot_user_id: APP.bot_user_id },
        ...PEOPLE.map((name) => ({ token: `xoxp-${name}`, user: name })),
      ],
    },
  },
});
process.stdin.resume().on('end', () => process.exit(0));
console.log(JSON.stringify({
  url: `http://127.0.0.1:${port}`,
  bot_user_id: APP.bot_user_id,
  team_id: slackStore.teams.all()[0].team_id,
  channel_id: slackStore.channels.findOneBy('name', 'painting').channel_id,
  people: Object.fromEntries(PEOPLE.map((name) => [name, slackStore.users.findOneBy('name', name).user_id])),
}));

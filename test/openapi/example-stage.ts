/**
 * A server in which the examples of the document can be executed: what they name is there. An id of an example stands for
 * the id of the thing that was made for it.
 */
import { DEFAULT_ACCOUNT } from '../../src/domain/account.ts';
import { PLATFORMS } from '../../src/domain/platform.ts';
import { ROUTES, readRoute } from '../../src/http/routes.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { grantFor, pairOf } from '../conformance/store/grants.ts';
import { subscriptionOf } from '../conformance/store/subscriptions.ts';
import { type App, heldClock, OPERATOR_KEY, startApp } from '../stages/http-app.ts';

type Json = Record<string, unknown>;

const MINUTE = 60_000;
const ID = /^[a-z]+_[0-9a-z]{15,40}$/;

export interface ExampleStage extends AsyncDisposable {
  execute(name: OperationName): Promise<{ status: number; body: Json }>;
}

export async function exampleStage(): Promise<ExampleStage> {
  const app = await startApp({
    clock: heldClock('2026-11-15T07:00:00Z'),
    delivery: {
      send: async () => ({
        statusCode: 200,
        error: undefined,
        response: 'ok',
        overloaded: false,
        retryAfter: undefined,
      }),
    },
  });
  const ids = new Map<string, string>();
  const named = (text: string): string => text.replace(/\b[a-z]+_[0-9a-z]{15,40}\b/g, (id) => ids.get(id) ?? id);

  const send = async (name: OperationName, input: Json) => {
    const { methods, path } = readRoute(ROUTES[name]);
    const { ndjson } = operations[name] as { ndjson?: string };
    const inQuery = methods[0] === 'GET' || ndjson !== undefined;
    const query = inQuery ? Object.entries(input).filter(([field]) => field !== ndjson) : [];
    const { statusCode, payload } = await app.http.inject({
      method: methods[0]!,
      url: `${path}?${new URLSearchParams(Object.fromEntries(query.map(([field, value]) => [field, String(value)]))).toString()}`,
      headers: {
        authorization: `Bearer ${OPERATOR_KEY}`,
        ...(methods[0] === 'POST' && {
          'content-type': ndjson === undefined ? 'application/json' : 'application/x-ndjson',
        }),
      },
      ...(methods[0] === 'POST' && { payload: ndjson === undefined ? JSON.stringify(input) : String(input[ndjson]) }),
    });
    return { status: statusCode, body: JSON.parse(payload) as Json };
  };
  const execute = (name: OperationName) =>
    send(name, JSON.parse(named(JSON.stringify(operations[name].example.input))) as Json);

  await reportFeeds(app);
  const { id: operators, ...acme } = (await app.store.account(DEFAULT_ACCOUNT))!;
  await app.store.addAccount({ ...acme, id: `${operators}2`, name: 'acme' });
  const rule = { name: 'Volcano news', intent: '', platforms: ['x'], overrides: { x: 'volcano erupting' } };
  const { rule_id } = (await send('createRule', rule)).body as { rule_id: string };
  ids.set(operations.createRule.example.output.rule_id, rule_id);
  const second = (await send('createRule', { ...rule, name: 'Volcano news, again' })).body as { rule_id: string };
  ids.set(operations.ruleOverlap.example.input.rule_ids![1]!, second.rule_id);
  await send('createWebhook', { url: 'wake:my-agent', format: 'wake' });
  app.clock.forward(90 * MINUTE);
  await execute('pushEvents');
  const { wake } = (await send('nextWake', { agent: 'my-agent' })).body as { wake: { id: string } };
  ids.set(operations.acknowledgeWake.example.input.wake_id, wake.id);
  const found = (await send('listMatches', {})).body as { matches: { id: string }[] };
  ids.set(operations.explainMatch.example.input.match_id, found.matches[0]!.id);
  for (const name of Object.keys(operations) as OperationName[]) {
    if (!/^(create|rehearse)/.test(name) || name === 'createRule') continue;
    const { body } = await execute(name);
    for (const [field, example] of Object.entries(operations[name].example.output))
      if (ID.test(String(example))) ids.set(String(example), String(body[field]));
  }
  // This feed is of all rules: a feed of one rule ends with it.
  const feed = await send('createFeed', { name: 'All' });
  ids.set(operations.deleteFeed.example.input.feed_id, feed.body['feed_id'] as string);
  ids.set(operations.revokeGrant.example.input.grant_id, await addGrant(app));
  ids.set(operations.endSubscription.example.input.subscription_id, await addSubscription(app, rule_id));
  app.clock.forward(60 * MINUTE);
  await reportFeeds(app);
  return { execute, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** A source that vouches for both platforms: without one nothing can be certified. */
async function reportFeeds({ context, clock }: App): Promise<void> {
  for (const platform of PLATFORMS)
    context.feeds.report({
      platform,
      kind: 'source',
      name: 'bluesky',
      state: 'live',
      reason: undefined,
      through: clock.now(),
    });
  await context.feeds.flush();
}

async function addGrant({ store, clock }: App): Promise<string> {
  const account = (await store.account(DEFAULT_ACCOUNT))!;
  const grant = grantFor(account.id, { endsAt: new Date('2027-11-15'), expiresAt: new Date('2027-11-15') });
  await store.addGrant(grant, { digest: 'code', challenge: '' });
  const pair = { ...pairOf(grant.id, 'pair'), endsAt: new Date('2027-11-15') };
  if (!(await store.redeemCode('code', pair, clock.now()))) throw new Error('The grant was not made.');
  return grant.id;
}

async function addSubscription({ store }: App, ruleId: string): Promise<string> {
  const account = (await store.account(DEFAULT_ACCOUNT))!;
  const webhook = subscriptionOf(account, ruleId, { expiresAt: new Date('2027-11-15') });
  const refused = await store.saveSubscription(webhook, { ofAccount: 3, ofOwner: 2, ended: 2 });
  if (refused !== undefined) throw new Error('The subscription was not made.');
  return webhook.subscription.id;
}

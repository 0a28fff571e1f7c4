/** Whatever an operation changes is in the audit log, or the list below says why not. The list of operations drives it. */
import { expect, it } from 'vitest';
import { grantFor, pairOf } from '../../../test/conformance/store/grants.ts';
import { DAY } from '../../../test/conformance/store/stage.ts';
import { subscriptionOf } from '../../../test/conformance/store/subscriptions.ts';
import { openService, type TestService } from '../../../test/stages/service.ts';
import type { Caller } from '../access/caller.ts';
import { type OperationName, operations } from '../operations.ts';

/** The operations that change nothing that the account set up, and where their traces are. */
const UNNOTED: Partial<Record<OperationName, string>> = {
  listChanges: 'It reads.',
  listUsage: 'It reads.',
  suspendAccount: 'The log of the suspended account has it.',
  resumeAccount: 'The log of the resumed account has it.',
  setAccountLimits: 'The log of the limited account has it.',
  pushEvents: 'Events are counted in Status, and matches say where they came from.',
  rateMatch: 'A rating stands at its match.',
  rehearseRule: 'List Rehearsals has it. It matches nothing.',
  cancelRehearsal: 'List Rehearsals has it.',
  testSource: 'It stores nothing.',
  discoverSource: 'It stores nothing.',
  testWebhook: 'List Deliveries has it.',
  redeliverWebhook: 'List Deliveries has it.',
  sendMatch: 'List Deliveries has it.',
  setDemo: 'The demo feed is the server’s, not the account’s. Its log has it.',
};

/** These write although a read key may call them. */
const WRITING_READS: readonly OperationName[] = ['createSession'];

interface Stand {
  readonly test: TestService;
  readonly caller: Caller;
  /** Answers of earlier steps, by the operation. */
  readonly made: Record<string, Record<string, unknown>>;
}

const idIn = ({ made }: Stand, name: OperationName, field: string): unknown => made[name]![field];

/** Each operation that notes a change, with an input, in an order in which they work. */
const NOTED: readonly (readonly [OperationName, string, (stand: Stand) => object])[] = [
  ['createRule', 'rule.created', () => ({ name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } })],
  ['updateRule', 'rule.changed', (stand) => ({ rule_id: idIn(stand, 'createRule', 'rule_id'), name: 'Gales' })],
  ['deleteRule', 'rule.deleted', (stand) => ({ rule_id: idIn(stand, 'createRule', 'rule_id') })],
  ['restoreRule', 'rule.restored', (stand) => ({ rule_id: idIn(stand, 'createRule', 'rule_id') })],
  ['createWebhook', 'webhook.created', () => ({ url: 'https://a.example/in' })],
  [
    'updateWebhook',
    'webhook.changed',
    (stand) => ({ webhook_id: idIn(stand, 'createWebhook', 'webhook_id'), description: 'News' }),
  ],
  ['deleteWebhook', 'webhook.deleted', (stand) => ({ webhook_id: idIn(stand, 'createWebhook', 'webhook_id') })],
  ['createFeed', 'feed.created', () => ({ name: 'Storms' })],
  ['deleteFeed', 'feed.deleted', (stand) => ({ feed_id: idIn(stand, 'createFeed', 'feed_id') })],
  ['createView', 'view.created', () => ({ name: 'Mine', query: 'text=a' })],
  ['deleteView', 'view.deleted', (stand) => ({ view_id: idIn(stand, 'createView', 'view_id') })],
  [
    'createSilence',
    'silence.created',
    () => ({ until: new Date(Date.now() + 60_000).toISOString(), reason: 'Tests.' }),
  ],
  ['endSilence', 'silence.deleted', (stand) => ({ silence_id: idIn(stand, 'createSilence', 'silence_id') })],
  [
    'createSource',
    'source.created',
    () => ({ kind: 'feeds', name: 'Mine', options: { urls: ['https://a.example/'] } }),
  ],
  [
    'updateSource',
    'source.changed',
    (stand) => ({ source_id: idIn(stand, 'createSource', 'source_id'), name: 'Ours' }),
  ],
  ['deleteSource', 'source.deleted', (stand) => ({ source_id: idIn(stand, 'createSource', 'source_id') })],
  ['createKey', 'key.created', () => ({ name: 'mine' })],
  ['revokeKey', 'key.deleted', (stand) => ({ key_id: idIn(stand, 'createKey', 'id') })],
  ['createSession', 'session.created', () => ({})],
  ['revokeGrant', 'grant.deleted', ({ made }) => ({ grant_id: made['grant']!['id'] })],
  ['deleteMatches', 'post.erased', () => ({ platform: 'x', platform_post_id: '1' })],
  ['endSubscription', 'subscription.deleted', () => ({ subscription_id: 'sub_1' })],
];

it('every operation that changes something notes it, or says why not', () => {
  const writing = Object.keys(operations).filter((name) => {
    const known = name as OperationName;
    return operations[known].access !== 'read' || WRITING_READS.includes(known);
  });
  const listed = [...NOTED.map(([name]) => name), ...Object.keys(UNNOTED)];
  expect(listed.toSorted()).toEqual(writing.toSorted());
});

async function stage() {
  const test = await openService();
  const caller = await test.caller('alice');
  const { store } = test;
  const now = new Date();
  const later = new Date(now.getTime() + DAY);
  const grant = grantFor(caller.account.id, { endsAt: later, expiresAt: later });
  await store.addGrant(grant, { digest: 'code', challenge: '' });
  await store.redeemCode('code', { ...pairOf(grant.id, 'a'), endsAt: later }, now);
  await store.saveSubscription(subscriptionOf(caller.account, 'rule_1', { expiresAt: later }), {
    ofAccount: 9,
    ofOwner: 9,
    ended: 9,
  });
  const changes = async () => (await test.call(caller, 'listChanges', { limit: 1_000 })).changes;
  const made: Stand['made'] = { grant: { id: grant.id } };
  return Object.assign(test, { caller, changes, made });
}

it('what they note is in the audit log, with who did it', async () => {
  await using test = await stage();
  const { caller, made } = test;
  for (const [name, what, input] of NOTED) {
    const before = (await test.changes()).length;
    made[name] = await test.call(caller, name, input({ test, caller, made }));
    const changes = await test.changes();
    expect([name, changes.length - before, changes[0]!.what]).toEqual([name, 1, what]);
    expect(changes[0]!.by).toEqual({ kind: 'key', key_id: caller.key.id, key_name: caller.key.name });
  }
});

it('what notes nothing notes nothing', async () => {
  await using test = await stage();
  const { caller } = test;
  await test.call(caller, 'createRule', { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
  const before = await test.changes();
  await test.post(caller, 'a storm');
  const [match] = await test.everyMatch(caller);
  await test.call(caller, 'rateMatch', { match_id: match!.id, rating: 'relevant' });
  await test.call(caller, 'createStreamTicket');
  await test.call(caller, 'createEntryTicket');
  expect(await test.changes()).toEqual(before);
});

it('a session that ends is noted, without what opens it', async () => {
  await using test = await stage();
  const { session } = await test.call(test.caller, 'createSession');
  await test.service.context.sessions.end(session);
  await test.service.context.sessions.end(session);
  const [ended, opened, ...others] = await test.changes();
  expect([ended!.what, opened!.what, ended!.id]).toEqual(['session.deleted', 'session.created', opened!.id]);
  expect(ended!.by).toEqual({ kind: 'session', key_id: test.caller.key.id });
  expect(others.some(({ what }) => what.startsWith('session'))).toBe(false);
  expect(JSON.stringify([ended, opened])).not.toContain(session);
});

/** Calls every method of a store at size, in the variants that make other statements. */

import { expect } from 'vitest';
import { storyId } from '../../../src/store/order.ts';
import type { CommitEvent, Lease, Store } from '../../../src/store/store.ts';
import { clientNamed, grantFor, pairOf, tokenOf } from '../../conformance/store/grants.ts';
import { sharedFeedFor } from '../../conformance/store/shared-feeds.ts';
import { sourceOf, visitOf } from '../../conformance/store/sources.ts';
import { collect } from '../../conformance/store/stage.ts';
import { subscriptionOf } from '../../conformance/store/subscriptions.ts';
import { webhookOf } from '../../conformance/store/webhooks.ts';
import { coldOn, memoryObjects } from '../../stages/cold.ts';
import { FIRST, LONG_AGO, MATCHES, NOW, positionOf, WEBHOOKS } from './world.ts';

const now = new Date(NOW);
const account = 'acct_1';
const digest = (number: number) => Buffer.from(`digest ${number}`);

export async function exerciseAll(store: Store): Promise<void> {
  await exerciseAccounts(store);
  await exerciseGrants(store);
  await exerciseRules(store);
  await exerciseMatches(store);
  await exerciseWebhooks(store);
  await exerciseSubscriptions(store);
  await exerciseSharedFeeds(store);
  await exerciseCertificateLog(store);
  await exerciseUpstreams(store);
  await exerciseNodes(store);
  await exerciseAlerts(store);
  await exerciseRehearsals(store);
  await exerciseCold(store);
  await exerciseRemoval(store);
}

/** Old matches lie here in these tests. */
const coldObjects = memoryObjects();
export const cold = coldOn(coldObjects);

async function exerciseCold(store: Store): Promise<void> {
  const due = new Date(NOW + 1e6);
  const { task } = await store.nextColdTask(6, new Date(NOW + 48 * 3_600_000));
  for (const key of ['one', 'two', 'three', 'four']) await store.planColdObject(key, due);
  const draft = (await store.writeColdObject(task!, 'one'))!;
  expect(await store.recordColdObject(draft)).toBe(true);
  // Matches are not taken twice, and an object with others is not taken at all.
  expect(await store.recordColdObject({ ...draft, key: 'two' })).toBe(false);
  expect(await store.recordColdObject({ ...draft, matches: 1, key: 'three' })).toBe(false);
  await store.matches({ accountId: task!.accountId, limit: 10 });
  await store.staleColdObject('');
  await store.coldFigures();
  await store.noteColdOutcome('written', now);
  await store.nextColdMerge({ account: 3, first: 0 });
  await store.planColdObject('merged', due);
  expect(await store.mergeColdObjects([draft], 'merged')).toBeUndefined();
  expect(await store.recordColdMerge({ ...draft, key: 'merged', of: ['one'] })).toBe(true);
  const merged = { ...draft, key: 'merged' };
  coldObjects.stored.set('merged', coldObjects.stored.get('one')!);
  expect(await store.replaceColdObject('merged', await store.rewriteColdObject(merged, 'four'))).toBe(true);
  coldObjects.stored.delete('four');
  cold.forget();
  await expect(store.matchesAt([draft.first])).rejects.toThrow('it is not there');
  expect(await store.replaceColdObject('key 3', undefined)).toBe(true);
  await store.forgetColdLeftovers(await store.takeColdLeftovers(now, 10));
}

async function exerciseSources(store: Store): Promise<void> {
  const source = sourceOf(account, { id: 'source_new', fetchKey: 'fetch_new', createdAt: now });
  await store.addSource(source, 1_000_000);
  for await (const _ of store.accountSources(account)) break;
  await store.countSources(account);
  await store.accountSource(account, source.id);
  await store.ownFeed(account, 'firehose', new Date(now.getTime() + 1));
  const moved = { ...source, fetchKey: 'fetch_moved' };
  await store.changeSource(moved, now);
  await store.nextFetches([1, 2], { hosts: ['busy.example'], accounts: [] }, { by: now, most: 10 });
  await store.nextFetches([1, 2], { hosts: ['busy.example'], accounts: [account] }, { by: now, most: 10 });
  await store.fetchOwners(moved.fetchKey);
  const waiting = [{ sourceId: moved.id, message: 'It waits.', since: now }];
  const owed = { platform: 'firehose', accountId: account, source: moved.id, from: now, to: undefined } as const;
  const gaps = [{ ...owed, cause: 'source_down', recovered: false }];
  await store.noteVisits([visitOf(moved, now, { waiting, gaps })]);
  const unread = { accountId: account, sourceId: moved.id, events: 0, bytes: 0, fetches: 0, isUnread: true };
  await store.noteVisits([visitOf(moved, now, { visits: 1, owners: [unread] })]);
  await store.dueFetches(now);
  await store.sourceUse([account], now);
  await store.countSourceUse({ accountId: account, bytes: 1, fetches: 1 }, now);
  await store.deleteSource(account, source.id, now);
}

async function exerciseRestrictions(store: Store): Promise<void> {
  await store.changeLimits(account, { streams: 5 });
  await store.suspendAccount(account, { at: now, reason: '' });
  await store.restrictedAccounts();
  await store.resumeAccount(account);
  await store.stored([account]);
  const use = { accountId: account, cpu_ms: 1, bytes_in: 1, events: 1, matches: 1, requests: 1, turns: 1 };
  await store.noteUse(now, [use], new Date(NOW - 3_600_000));
  await store.topUse(new Date(NOW - 60_000), 'cpu_ms', 10);
  await store.useByMinute(account, new Date(NOW - 60_000));
}

async function exerciseAccounts(store: Store): Promise<void> {
  const added = { id: 'acct_new', name: 'new', plan: 'paid', xRules: 9, createdAt: now } as const;
  await store.addAccount(added);
  await store.account(account);
  await store.account('account 7');
  await store.accounts();
  await store.changeAccount(account, { xRules: 30 });
  await exerciseRestrictions(store);
  const times = { createdAt: now, lastUsedAt: undefined, expiresAt: undefined };
  await store.addKey(
    { id: 'key_new', accountId: account, name: 'n', scope: 'full', lastFour: 'a', ...times },
    digest(-1),
  );
  await store.accessVersion();
  await store.keyByDigest(digest(7));
  await store.keys(account);
  await store.touchKey('key_7', now);
  await store.revokeKey(account, 'key_new');
  await store.addPass({
    digest: 'p_new',
    accountId: account,
    keyId: 'key_1',
    endsAt: new Date(NOW + 1e6),
    usedAt: now,
  });
  await store.pass('p_new', now);
  await store.usePass('p_new', now);
  await store.takePass('p_new', now);
  await store.remember(account, 'key', 'd', 1);
  await store.remembered(account, 'key');
  const claim = { accountId: account, idempotencyKey: 'claimed', bodyDigest: 'd', answer: 1 };
  expect(await store.claimAnswer(claim)).toBe('claimed');
  expect(await store.claimAnswer(claim)).toEqual({ bodyDigest: 'd', answer: 1 });
  // This account has used all of its keys; it still gets the answers that it has.
  expect(await store.claimAnswer({ ...claim, accountId: 'acct_5' })).toBe('full');
  const known = { ...claim, accountId: 'acct_5', idempotencyKey: 'k15000' };
  expect(await store.claimAnswer(known)).toEqual({ bodyDigest: 'd', answer: 1 });
}

async function exerciseSharedFeeds(store: Store): Promise<void> {
  const feed = sharedFeedFor(account, { createdAt: now });
  expect(await store.addSharedFeed(feed, 'digest of a feed')).toBe(true);
  expect(await store.addSharedFeed({ ...feed, id: 'feed_2', ruleId: 'rule_gone' }, 'other digest')).toBe(false);
  await store.sharedFeeds(account);
  await store.sharedFeedByDigest('digest of a feed');
  expect(await store.deleteSharedFeed(account, feed.id)).toBe(true);
}

async function exerciseCertificateLog(store: Store): Promise<void> {
  expect(await store.logCertificate('a new hash', now)).toBe(MATCHES);
  expect(await store.logCertificate('hash 7', now)).toBe(7);
  expect((await store.certificateLogEnd()).size).toBe(MATCHES + 1);
  await store.headWebhooks();
  await store.loggedCertificates(40_000, 10);
  await store.certificateIndex('hash 9');
  await store.certificateNodes([
    { level: 0, index: 7 },
    { level: 1, index: 20_000 },
  ]);
}

async function exerciseGrants(store: Store): Promise<void> {
  const limit = { most: 1_000, olderThan: now };
  await store.addClient(clientNamed('client_new', { createdAt: now, endsAt: new Date(NOW + 1e6) }), limit);
  await store.client('client_1', now);
  await store.keepClient('client_new', new Date(NOW + 1e6));
  const grant = grantFor(account, { createdAt: now, endsAt: new Date(NOW + 1e6) });
  const pair = (name: string) => ({ ...pairOf(grant.id, name), endsAt: new Date(NOW + 1e6) });
  await store.addGrant(grant, { digest: 'code new', challenge: 'c' }, undefined, 1_000_000);
  await store.grantByCode('code new');
  expect(await store.redeemCode('code new', pair('a'), now)).toBe(true);
  await store.grantByFamily(pair('a').familyDigest);
  expect(await store.rotateRefresh(grant.id, 'refresh a', pair('b'), now)).toBe(true);
  await store.addAccessToken(tokenOf(grant.id, 'token new'));
  await store.accessToken('token new', now);
  await store.touchGrant(grant.id, now);
  await store.grants(account, now);
  await store.endAccessToken('token new');
  await store.revokeGrant(account, grant.id);
}

async function exerciseRules(store: Store): Promise<void> {
  const text = { value: 'new', flags: {} };
  const rule = { id: 'rule_new', accountId: account, name: 'n', intent: '', createdAt: now, platforms: { x: text } };
  await store.addRule(rule, { x: 100 });
  await store.rule(account, 'rule_1');
  await store.rulesNamed(['rule_1', 'rule_2']);
  for await (const _ of store.rules(account)) break;
  for await (const _ of store.everyRule()) break;
  for await (const _ of store.everyText(['active'])) break;
  await store.hasRules(100);
  for await (const _ of store.unfinishedRules()) break;
  await store.countRules(account);
  await store.setRuleStatus('rule_1', 'x', { status: 'active' });
  await store.changeRule(
    account,
    'rule_new',
    { name: 'other', platforms: { x: null, firehose: { ...text, platformRuleId: '9' } }, at: now },
    {
      at: now,
      by: { kind: 'system' },
      what: 'rule.changed',
      id: 'rule_new',
    },
  );
  expect(await store.changeRule(account, 'rule_2001', { platforms: { x: text } })).toBe(true);
  await store.countHolders('x', 'v5', {});
  await store.undoRule(account, 'rule_new');
  const until = new Date(NOW + 1e9);
  expect(await store.deleteRule(account, 'rule_1001', undefined, { at: now, until })).toBe(true);
  await store.moveMatches('rule_1001');
  for await (const _ of store.deletedRules(account, now)) break;
  await store.deletedRule(account, 'rule_1001', now);
  const gap = { platform: 'x', accountId: account, ruleId: 'rule_1001', from: now, to: now, cause: 'c' } as const;
  const restoring = { now, limits: {}, ids: { x: '9' }, gaps: [{ ...gap, recovered: false }] };
  expect(await store.restoreRule(account, 'rule_1001', restoring)).toBe('restored');
  while (await store.moveMatches('rule_1001'));
  await store.addView({ id: 'view_new', accountId: account, name: 'n', query: '', createdAt: now }, 1_000);
  await store.views(account);
  await store.deleteView(account, 'view_new');
  const by = { kind: 'system' } as const;
  await store.addSilence({ id: 'silence_new', accountId: account, until, reason: '', createdAt: now, by }, 1_000);
  await store.silences(account, now);
  await store.endSilence(account, 'silence_new', now);
  await store.beginNotice(account, 'limit_near:new', now);
  await store.openNotices();
  await store.endNotice(account, 'limit_near:new');
  await exerciseSources(store);
  await store.deleteRule(account, 'rule_2');
  await store.instance('offered');
  await store.registrations('x');
  const registration = {
    tag: 'new',
    platform: 'x',
    state: 'held',
    since: now,
    flags: {},
    value: 'v',
    texts: [],
  } as const;
  await store.changeRegistrations({
    put: [{ ...registration, platformRuleId: undefined }],
    drop: ['t1'],
    holders: [{ platform: 'x', value: 'v7', flags: {}, status: 'active' }],
  });
}

const eventOf = (postId: string, rules: readonly string[], more: Partial<CommitEvent> = {}): CommitEvent => ({
  event: { platform: 'x', postId, payload: { data: { text: 't' } }, accountId: undefined },
  matches: rules.map((ruleId) => ({ ruleId, version: 1, highlights: [], verdict: 'agreed' as const })),
  ...more,
});

async function exerciseMatches(store: Store): Promise<void> {
  const old = eventOf('old', ['rule_1']);
  await store.commit({ platform: 'x', at: new Date(LONG_AGO), events: [] });
  await store.commit({ platform: 'x', at: now, events: [], cursor: { name: 'c1', value: 'w' } });
  const cursor = { name: 'source:one', value: 'v', reading: { source: 'one', events: 3 } };
  await store.commit({ platform: 'x', at: now, events: [], cursor });
  const ownEvent = (postId: string) => {
    const { event, ...more } = eventOf(postId, ['rule_1', 'rule_2']);
    return { event: { ...event, accountId: account }, ...more };
  };
  await store.commit({
    platform: 'x',
    at: now,
    events: [old, eventOf('3', ['rule_1']), ownEvent('own'), ownEvent('other')],
  });
  // Only an upstream's commit counts what it delivered, and knows versions of a post.
  const lease = await store.takeLease({ name: 'x', holder: 'h', now, milliseconds: 1_000 });
  if ('heldBy' in lease) throw new Error('The lease is free.');
  await store.commit({
    platform: 'x',
    at: new Date(NOW + 1_000),
    events: [eventOf('edit', ['rule_1', 'rule_2'], { earlier: ['5'], engineOnly: ['rule_3'] })],
    upstream: {
      lease,
      completeThrough: now,
      gaps: [{ platform: 'x', from: now, to: now, cause: 'c', recovered: true }],
      broken: [{ reason: 'r', sample: 's' }],
    },
  });
  await store.releaseLease(lease);
  // A post that tells what another told joins its story.
  const retold = ['one', 'two'].map((postId) => {
    const { event, ...more } = eventOf(postId, ['rule_1']);
    return {
      event: { ...event, payload: { data: { id: postId, text: 'a flood closes the old bridge tonight' } } },
      ...more,
    };
  });
  await store.commit({ platform: 'x', at: now, events: retold });
  await store.cursor('c1');
  for (const ruleId of [undefined, 'rule_1']) {
    for (const platform of [undefined, 'x' as const]) {
      const of = { accountId: account, limit: 20, ...(ruleId && { ruleId }), ...(platform && { platform }) };
      await store.matches(of);
      await store.matches({ ...of, rating: 'relevant' });
      await store.matches({ ...of, since: new Date(FIRST), until: now, before: positionOf(MATCHES / 2) });
      await store.matchesAfter({ ...of, after: positionOf(MATCHES / 2) });
      await store.matchesAfter({ ...of, after: positionOf(MATCHES / 2), source: 'push' });
      await store.matches({ ...of, rating: 'relevant', source: 'push' });
      await store.stories(of);
      await store.stories({ ...of, since: new Date(FIRST), until: now, before: positionOf(MATCHES / 2) });
      await store.matchCounts({ ...of, from: new Date(NOW - 3_600_000), to: now, seconds: 60 });
    }
  }
  await store.matches({ accountId: account, limit: 20, storyId: storyId(positionOf(0)) });
  await store.matches({ accountId: account, limit: 20, platform: 'x', storyId: storyId(positionOf(0)) });
  await store.matches({ accountId: account, limit: 20, eventKey: 'key 4' });
  await store.matches({ accountId: account, limit: 20, eventKey: 'key 4', source: 'push' });
  const { matches } = await store.matches({ accountId: account, limit: 1 });
  await store.match(account, matches[0]!.id);
  await exerciseRatings(store, matches[0]!.position);
  await store.latest();
  await store.oldest();
  // Before anything is erased, another key is taken.
  await store.addTombstones({ key: 'another', tombstones: [] });
  for (const post of ['4', 'own', 'old']) await store.deleteMatches(account, 'x', post);
  // This account has erased more posts than are kept track of.
  await store.deleteMatches('acct_3', 'x', '4');
  for await (const _ of store.recentEvents(account, 'x', 50)) break;
  await store.recentTotals('x');
  await store.recentKept();
  await exerciseErasure(store);
  // After 500 events the book of stories is stored by the next commit.
  const many = Array.from({ length: 500 }, (_, index) => eventOf(`many ${index}`, ['rule_1']));
  await store.commit({ platform: 'x', at: now, events: many });
  await store.commit({ platform: 'x', at: now, events: [eventOf('one more', ['rule_1'])] });
  await store.recentKept();
}

async function exerciseJudge(store: Store, position: number): Promise<void> {
  await store.unjudged(0, 100);
  await store.knownJudgement('rule_1', 'content');
  const judgement = { relevant: true, reason: 'because', model: 'small', at: now };
  await store.keepJudgement({ position, intent: 'intent', content: 'content', judgement });
  const reserved = await store.reserveJudgeCall(10, [{ what: 'money', most: 100, per: 'day' }], now);
  await store.settleJudgeCall(reserved!, { money: 5, inputTokens: 3, outputTokens: 2 });
  await store.judgeSpending(now);
}

async function exerciseRatings(store: Store, position: number): Promise<void> {
  const rating = { accountId: account, position, at: now, by: 'key_1', traces: '{}' };
  await store.rateMatch({ ...rating, rating: 'relevant' }, 2_000);
  await store.rateMatch({ ...rating, rating: null }, 2_000);
  await store.ratedRule('rule_1', 2_000);
  await exerciseJudge(store, position);
  const made = { id: 's1', at: now, kind: 'exclude', was: 'v1', value: 'v2', share: 0.5 } as const;
  await store.keepSuggestions(account, 'rule_1', 'x', [made]);
  await store.appliedSuggestions(account, 'rule_1', 5);
}

function repostOf(postId: string, of: string, rules: readonly string[]): CommitEvent {
  const made = eventOf(postId, rules);
  const payload = { data: { id: postId, text: 'RT', referenced_tweets: [{ type: 'retweeted', id: of }] } };
  return { ...made, event: { ...made.event, payload } };
}

async function exerciseErasure(store: Store): Promise<void> {
  await store.eraseEverywhere('x', '5');
  await store.eraseAnnounced('x', ['6', 'unknown']);
  // The carriers of a post are erased in slices.
  await store.commit({ platform: 'x', at: now, events: [repostOf('repost', 'c0', ['rule_1'])] });
  const said = { data: { id: 'said', text: 'what is said here is said by one person alone' } };
  const made = eventOf('said', ['rule_1']);
  await store.commit({ platform: 'x', at: now, events: [{ ...made, event: { ...made.event, payload: said } }] });
  await store.eraseEverywhere('x', 'said', undefined, true);
  await store.eraseEverywhere('x', 'c0', { id: 'ers_1', by: { kind: 'operator' }, accountId: account });
  await store.isErasing(account);
  await store.addTombstones(await store.tombstones('', 10));
  await store.applyTombstones(1);
  for (const of of [
    {},
    { kind: 'rule' as const },
    { id: 'rule_1' },
    { id: 'rule_1', kind: 'rule' as const, before: 9 },
  ])
    await store.changes({ accountId: account, limit: 10, ...of });
  const note = { at: now, by: { kind: 'system' }, what: 'account.changed', id: account } as const;
  await store.changeAccount(account, {}, note);
}

async function exerciseWebhooks(store: Store): Promise<void> {
  const webhook = { ...webhookOf({ id: account, name: '', plan: 'paid', xRules: 1, createdAt: now }), id: 'hook_new' };
  await store.addWebhook(webhook, 100);
  await store.webhooks(account);
  await store.webhook(account, 'hook_1');
  await store.changeWebhook(account, 'hook_new', { description: 'changed' });
  await store.agenda({});
  await store.agenda({ accountId: account });
  await store.agenda({ webhookId: 'hook_1' });
  await store.claimWebhook('hook_1', { holder: 'me', now, until: new Date(NOW + 1_000) });
  await store.claimWebhook('hook_2', { holder: 'me', now, until: new Date(NOW + 1_000) });
  await store.releaseWebhooks('me');
  const owed = await store.owedMatches('hook_1', now, 100);
  const positions = owed.map(({ position }) => position);
  await store.freeze({ id: 'dlv_new', webhookId: 'hook_1', positions, body: 'b', at: now });
  await exerciseWakes(store);
  await store.owedBacklog(WEBHOOKS);
  for (const webhookId of [undefined, 'hook_1']) {
    for (const status of [undefined, 'pending' as const])
      await store.deliveries({
        accountId: account,
        limit: 20,
        ...(webhookId && { webhookId }),
        ...(status && { status }),
      });
  }
  await store.delivery(account, 'dlv_new');
  await store.pendingDeliveries('hook_1', 10);
  await store.pendingBody('dlv_new');
  const attempt = { at: now, milliseconds: 5, statusCode: 500, error: 'e', response: '' };
  const health = { lastFailureAt: now, failingSince: now };
  await store.recordAttempt({
    deliveryId: 'dlv_new',
    attempt,
    outcome: { status: 'failed', reason: 'r' },
    health,
    recovered: true,
    disable: 'gone',
    shorten: true,
    notices: [{ id: 'dlv_notice', webhookId: 'hook_2', subject: 'webhook_failing' as const, body: 'b', at: now }],
  });
  await store.addNotices([
    { id: 'dlv_notice', webhookId: 'hook_2', subject: 'webhook_failing' as const, body: 'b', at: now },
  ]);
  await store.offerWake('dlv_new');
  await store.acknowledgeUpTo('hook_1', 1, now);
  await store.unacknowledged('hook_1', now, 10);
  await store.acknowledgeWake(account, 'dlv_new', now);
  await store.expireWake('dlv_new', {
    reason: 'too late',
    notices: [{ id: 'dlv_late', webhookId: 'hook_2', subject: 'webhook_failing' as const, body: 'b', at: now }],
  });
  await store.offerAgain('hook_1', { since: now, attempts: 2, now });
  await store.redeliver(account, 'dlv_new', now);
  const [newest] = (await store.matches({ accountId: account, limit: 1 })).matches;
  const sending = { id: 'dlv_sent', accountId: account, webhookId: 'hook_new', body: 'b', at: now };
  expect(await store.sendMatch({ ...sending, position: newest!.position })).toBe(true);
  const times = { from: new Date(FIRST), to: now, limit: 100 };
  await store.attemptsOf({ accountId: account, webhookId: 'hook_1', ...times });
  // Erasing a post takes a delivery under way apart, and empties one that was made.
  await store.deleteMatches(account, 'x', '0');
  await store.deleteMatches('acct_2', 'x', '1');
  await store.redeliverSince(account, 'hook_1', new Date(NOW - 1_000), now);
  // Bytes for another kind of receiver: of a batch, of a match that was sent by hand, and of a digest.
  for (const id of ['dlv_100', 'dlv_sent', 'dlv_digest']) await store.writeAnew(id, 'r');
  await store.deleteWebhook(account, 'hook_new');
}

/** The rules of the world go to its accounts in turn. */
const ownerOf = ({ ruleId }: { ruleId: string }): string =>
  `acct_${((Number(ruleId.slice('rule_'.length)) - 1) % 1_000) + 1}`;

/** `hook_2` has a contract, is owed half of all matches, and has held thousands before; so has its digest. */
async function exerciseWakes(store: Store): Promise<void> {
  const dueAt = new Date(NOW + 1_000_000);
  const owed = await store.owedMatches('hook_2', now, 100);
  const held = owed.map(({ position }, index) => ({ position, story: `story ${index % 5}` }));
  await store.wakeStories('hook_2', ['story 1', 'story 2', 'unknown']);
  const turn = {
    turn: 0,
    account: { windowFrom: now, wakes: 1, held: 99, stories: 5 },
    stories: new Map([['story 1', { woke: true, seen: NOW }]]),
    digest: { id: 'dlv_digest', dueAt, most: 10_000 },
  };
  const hold = (from: number, to: number, change: object) =>
    store.freeze({
      id: 'dlv_waking',
      webhookId: 'hook_2',
      positions: [],
      body: '',
      at: now,
      wake: { ...turn, held: held.slice(from, to), ...change },
    });
  expect(await hold(0, 40, {})).toBe(true);
  expect(await hold(40, 80, { turn: 1 })).toBe(true);
  // A full digest is closed, and another begun, which is full at once.
  const next = { id: 'dlv_next', dueAt, most: 90, fullAt: dueAt, silence: 'silence_2' };
  expect(await hold(80, 99, { turn: 2, digest: next })).toBe(true);
  // The digest of a match whose rule is deleted is empty.
  expect(await hold(99, 100, { turn: 3, digest: { id: 'dlv_empty', dueAt: now, most: 90 } })).toBe(true);
  await store.deleteRule(ownerOf(owed[99]!), owed[99]!.ruleId);
  expect(await store.closeDigest('dlv_empty')).toEqual([]);
  expect(await store.sealDigest({ deliveryId: 'dlv_empty', body: undefined, matches: 0 })).toBe(true);
  await store.deleteMatches(ownerOf(owed[0]!), 'x', owed[0]!.platformPostId);
  const entries = await store.closeDigest('dlv_digest');
  await store.matchesAt(entries.slice(0, 16).map(({ position }) => position));
  expect(await store.sealDigest({ deliveryId: 'dlv_digest', body: 'b', matches: entries.length })).toBe(true);
}

async function exerciseSubscriptions(store: Store): Promise<void> {
  const owner = { id: account, name: '', plan: 'paid' as const, xRules: 1, createdAt: now };
  const webhook = { ...subscriptionOf(owner, 'rule_1', { id: 'sub_new' }), id: 'hook_subscribed' };
  const limits = { ofAccount: 1_000, ofOwner: 1_000, ended: 10 };
  await store.saveSubscription(webhook, limits);
  await store.saveSubscription(webhook, limits);
  await store.subscriptions(account);
  await store.subscription(account, 'sub_new');
  await store.subscribers('match.created');
  await store.replay('hook_subscribed', 0, 20);
  await store.watermark('hook_subscribed');
  await store.dropOwed('hook_subscribed', [1]);
  await store.storyBeginnings([1]);
  const [owed] = await store.owedMatches('hook_subscribed', new Date(NOW + 1e9), 1);
  const frozen = { id: 'evt_new', webhookId: 'hook_subscribed', positions: [owed!.position], body: 'b', at: now };
  expect(await store.freeze(frozen)).toBe(true);
  await store.endSubscription('hook_subscribed', 'over');
  await store.replay('hook_subscribed', 0, 20);
  await store.saveSubscription(webhook, limits);
  const told = { ...subscriptionOf(owner, 'rule_1', { id: 'sub_told' }), id: 'hook_told', events: [] };
  await store.saveSubscription(told, limits);
  await store.replay('hook_told', 0, 20);
}

async function exerciseUpstreams(store: Store): Promise<void> {
  await store.takeLease({ name: 'x', holder: 'other', now, milliseconds: 1_000 });
  const gaps = { platform: 'x', since: new Date(NOW - 1_000), limit: 20 } as const;
  await store.gaps(gaps);
  await store.gaps({ ...gaps, isMissing: true });
  await store.gaps({ ...gaps, accountId: 'acct_1', isMissing: true });
  await store.gaps({ ...gaps, accountId: 'acct_1', ruleId: 'rule_1', isMissing: true });
  await store.noteGaps([{ platform: 'x', from: now, to: now, cause: 'c', recovered: true, accountId: account }]);
  await store.putReceived('x', [{ at: now, body: Buffer.from('{}') }]);
  await store.received('x', 0, 200);
  await store.dropReceived('x', 1);
  await store.openGaps('x');
  await store.coverage('x');
  const report = { platform: 'x', name: '', reason: undefined, through: now, at: now } as const;
  await store.noteFeeds([{ ...report, kind: 'source', state: 'live' }]);
  await store.feeds('x', account);
  await store.keepSources('x', ['one']);
  await store.readings('one', new Date(0), now);
  await store.rulesWith('x', 'v5', {});
  await store.broken('x', 20);
  await store.usage(account, 'x', 202_611);
  await store.ruleUsage(account, 'x', 202_611, 20);
}

async function exerciseNodes(store: Store): Promise<void> {
  await (await store.bell(() => {}))();
  await store.news();
  await store.ruleChanges(15_000, 20);
  await store.markRuleChanges('a mark');
  await store.addRuleSnapshotPiece('token', 0, new Uint8Array(1));
  await store.keepRuleSnapshot({ token: 'token', pieces: 1 });
  await store.ruleSnapshot();
  await store.ruleSnapshotPiece('token', 0);
  await store.reportNode({ id: 'n', roles: [], applied: 1 }, now, 1_000);
  await store.nodes(now);
  await store.schema();
  await store.agreeOn({ SETTING: 'value' }, []);
  await store.agreeOn({ SETTING: 'other' }, ['SETTING']);
  await store.agreedSettings();
  await store.sealedSecret();
  await store.removeNode('n');
  await store.version();
  await store.check(1_000);
  await store.databaseBytes();
  store.figures();
}

async function exerciseAlerts(store: Store): Promise<void> {
  const minute = Math.floor(FIRST / 60_000);
  await store.alerts({ accountId: account, limit: 50 });
  await store.alerts({ accountId: account, ruleIds: ['rule_1', 'rule_1001'], before: 15_000, limit: 50 });
  await store.alert(account, 'alert_1');
  await store.alertingRules(account, 100);
  await store.watchAgenda(1_000);
  const { watched } = await store.watchedIn(minute - 1, undefined, 200);
  await store.watchesOf(watched, minute);
  await store.minutesOf(watched, minute - 60, minute);
  const [watch] = await store.dueWatches(new Date(NOW + 60_000), minute, 50);
  const lease = await store.takeLease({ name: 'alerts', holder: 'h', now, milliseconds: 1_000 });
  const alert = { id: 'alert_new', kind: 'silence', from: now, to: now, rate: 0, usualRate: 2 } as const;
  const change = { watch: { ...watch!, alerts: { surge: false, silence: false } }, alerts: [alert], deliveries: [] };
  const next = { dueAt: now, now: 'n', past: 'p' };
  expect(await store.keepWatches(lease as Lease, [{ ...change, next }])).toEqual(['alert_new']);
  await store.keepWatches(lease as Lease, [{ ...change, alerts: [], next: undefined }]);
  await store.changeRule(account, 'rule_1', { alerts: { surge: true, silence: false } });
}

async function exerciseRehearsals(store: Store): Promise<void> {
  const rehearsal = {
    id: 'reh_new',
    accountId: account,
    status: 'waiting',
    createdAt: new Date(NOW - 1_000),
    endedAt: undefined,
    request: '{}',
    events: 0,
    progress: undefined,
    error: undefined,
  } as const;
  expect(await store.addRehearsal(rehearsal, { unfinished: 100, kept: 5 })).toBe(true);
  await store.rehearsals(account, 20);
  await store.rehearsal(account, 'reh_new');
  await store.firstRehearsal();
  await store.openRehearsal('reh_new');
  const lease = await store.takeLease({ name: 'rehearsals', holder: 'h', now, milliseconds: 1_000 });
  const sample = { platform: 'x', postId: 'p7', at: now, source: undefined, payload: {}, highlights: [] } as const;
  const step = { ...rehearsal, status: 'running', position: '1', state: '{}', dueAt: now } as const;
  expect(await store.keepRehearsal(lease as Lease, { ...step, samples: [{ ...sample, kind: 'newest' }] })).toBe(true);
  expect(await store.cancelRehearsal(account, 'reh_new', now)).toBe(true);
}

async function exerciseRemoval(store: Store): Promise<void> {
  await store.retentionBacklog(now);
  // A deleted rule, a deleted webhook and old rows of every kind are there: one slice of each.
  await store.removeSlice(now);
  await store.removeSlice(now);
  while ((await store.removeSlice(now)).more);
  // Then an hour past retention of the first matches.
  while ((await store.removeSlice(new Date(FIRST + 30 * 24 * 60 * 60_000 + 120_000))).more);
  await collect(store.recentEvents(account, 'x', 10));
}

import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Account } from '../../../src/domain/account.ts';
import type { AlertChange, Lease, NewRule, RuleWatch, Store, WatchChange } from '../../../src/store/store.ts';
import { addOther, at, DAY, eventOf, MINUTE, type Open, removeAll, ruleOf, START, stage } from './stage.ts';
import { webhookOf } from './webhooks.ts';

const BOTH = { surge: true, silence: true };
const minute = Math.floor(START / MINUTE);

async function leaseFor(store: Store, holder = 'one'): Promise<Lease> {
  // The one before is known to be gone.
  const wish = { name: 'alerts', holder, now: at(0), milliseconds: 1_000, gone: 'one' };
  const lease = await store.takeLease(wish);
  if ('heldBy' in lease) throw new Error(`held by ${lease.heldBy}`);
  return lease;
}

const surge = (change: Partial<AlertChange> = {}): AlertChange => ({
  id: newId('alert', at(0)),
  kind: 'surge',
  from: at(0),
  to: undefined,
  rate: 120,
  usualRate: 4.5,
  ...change,
});

/** The next look is an hour later. */
const kept = (watch: RuleWatch, alerts: readonly AlertChange[], change: Partial<WatchChange> = {}): WatchChange => ({
  watch,
  next: { dueAt: at(60 * MINUTE), now: 'now', past: 'past' },
  alerts,
  deliveries: [],
  ...change,
});

const due = (store: Store) => store.dueWatches(at(0), minute, 10);

async function watched(store: Store, account: Account, change: Partial<NewRule> = {}): Promise<NewRule> {
  const rule = ruleOf(account, { alerts: BOTH, ...change });
  await store.addRule(rule, {});
  return rule;
}

export function alertCases(open: Open): void {
  it('keeps what a rule is watched for, and watches it on each platform from then on', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    expect((await store.rule(account.id, rule.id))!.alerts).toEqual({ surge: false, silence: false });
    expect(await store.watchAgenda(10)).toEqual({ watches: 0, firstDue: undefined });
    const platforms = { x: { value: 'ash', flags: {} }, firehose: { value: 'ash', flags: {} } };
    const two = await watched(store, account, { platforms });
    expect((await store.rule(account.id, two.id))!.alerts).toEqual(BOTH);
    await store.changeRule(account.id, rule.id, { alerts: { surge: true, silence: false } });
    expect((await store.rule(account.id, rule.id))!.alerts).toEqual({ surge: true, silence: false });
    const watches = await due(store);
    expect(watches.map(({ ruleId, platform }) => `${ruleId} ${platform}`).toSorted()).toEqual(
      [`${rule.id} x`, `${two.id} firehose`, `${two.id} x`].toSorted(),
    );
    expect(watches.find(({ ruleId }) => ruleId === rule.id)).toEqual({
      rule: expect.any(Number),
      platform: 'x',
      ruleId: rule.id,
      ruleName: 'Storms',
      accountId: account.id,
      createdAt: at(0),
      isRunning: false,
      alerts: { surge: true, silence: false },
      version: 1,
      pastVersion: 0,
      now: undefined,
      past: undefined,
      ten: 0,
      sixty: 0,
    });
    expect((await store.watchAgenda(10)).watches).toBe(3);
  });

  it('tells of a watch since when the rule has its text there', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const platforms = { x: { value: 'ash', flags: {} }, firehose: { value: 'ash', flags: {} } };
    const rule = await watched(store, account, { platforms });
    const since = async () =>
      Object.fromEntries((await due(store)).map(({ platform, addedAt }) => [platform, addedAt]));
    expect(await since()).toEqual({ x: undefined, firehose: undefined });
    const change = { platforms: { x: { value: 'lava', flags: {} } }, at: at(MINUTE) };
    await store.changeRule(account.id, rule.id, change);
    expect(await since()).toEqual({ x: at(MINUTE), firehose: undefined });
    const [watch] = await due(store);
    expect(await store.watchesOf([watch!], minute)).toEqual([{ ...watch, past: undefined }]);
  });

  it('walks the rules of a minute, and counts the last ten and sixty minutes', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const two = await watched(store, account);
    await store.setRuleStatus(two.id, 'x', { status: 'active' });
    for (const [index, minutes] of [-70, -30, -5, 0].entries())
      await store.commit({
        platform: 'x',
        at: at(minutes * MINUTE),
        events: [eventOf(`p${index}`, [rule, two])],
      });
    const first = await store.watchedIn(minute, undefined, 1);
    // The first rule has matches and is not watched.
    expect(first).toEqual({ watched: [], last: expect.anything() });
    const second = await store.watchedIn(minute, first.last, 1);
    expect(second.watched).toHaveLength(1);
    expect(await store.watchedIn(minute, second.last, 1)).toEqual({ watched: [], last: undefined });
    const [watch] = await store.watchesOf(second.watched, minute);
    expect(watch).toMatchObject({ ruleId: two.id, ten: 2, sixty: 3, isRunning: true, past: undefined });
    const rows = await store.minutesOf(second.watched, minute - 70, minute);
    expect(rows.map((row) => row.minute - minute).toSorted((one, other) => one - other)).toEqual([-70, -30, -5]);
    await store.changeRule(account.id, two.id, { paused: true });
    expect(await store.watchesOf(second.watched, minute)).toMatchObject([{ isRunning: false }]);
  });

  it('stores a look with its alert and its deliveries, all or nothing', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const rule = await watched(store, account);
    const webhook = { ...webhookOf(account), events: ['alert' as const] };
    await store.addWebhook(webhook, 10);
    const lease = await leaseFor(store);
    const [watch] = await due(store);
    const alert = surge();
    const deliveries = [
      { id: newId('dlv', at(0)), webhookId: webhook.id, subject: 'webhook_failing' as const, body: '{}', at: at(0) },
    ];
    expect(await store.keepWatches(lease, [kept(watch!, [alert], { deliveries })])).toEqual([alert.id]);
    expect(await due(store)).toEqual([]);
    expect(await store.dueWatches(at(60 * MINUTE), minute, 10)).toMatchObject([
      { now: 'now', past: 'past', pastVersion: 1 },
    ]);
    const stored = { accountId: account.id, ruleId: rule.id, ruleName: 'Storms', platform: 'x' };
    expect(await store.alert(account.id, alert.id)).toEqual({ ...alert, ...stored });
    expect(await store.alertingRules(account.id, 10)).toEqual([rule.id]);
    expect((await store.deliveries({ accountId: account.id, limit: 10 })).deliveries).toHaveLength(1);
    // A second alert of the kind cannot begin while the first lasts; with it, nothing of the look is kept.
    const late = kept(watch!, [surge()], { next: { dueAt: at(DAY), now: 'later' } });
    await expect(store.keepWatches(lease, [late])).rejects.toThrow(/unique|is there already|id or name/i);
    expect(await store.dueWatches(at(60 * MINUTE), minute, 10)).toMatchObject([{ now: 'now' }]);
    await store.keepWatches(lease, [kept(watch!, [{ ...alert, to: at(MINUTE), rate: 300 }])]);
    expect(await store.alert(account.id, alert.id)).toMatchObject({ to: at(MINUTE), rate: 300, from: at(0) });
    expect(await store.alertingRules(account.id, 10)).toEqual([]);
  });

  it('keeps nothing for a process that has lost the lease', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    await watched(store, account);
    const old = await leaseFor(store);
    const [watch] = await due(store);
    const lease = await leaseFor(store, 'two');
    for (const lost of [old, { name: 'never taken', fence: 1 }])
      await expect(store.keepWatches(lost, [kept(watch!, [surge()])])).rejects.toMatchObject({ reason: 'fenced' });
    expect(await due(store)).toHaveLength(1);
    expect(await store.keepWatches(lease, [kept(watch!, [surge()])])).toHaveLength(1);
  });

  it('leaves out what was found for a rule that was changed or deleted since', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const rules = [await watched(store, account), await watched(store, account), await watched(store, account)];
    const lease = await leaseFor(store);
    const watches = await due(store);
    const watchOf = (index: number) => watches.find(({ ruleId }) => ruleId === rules[index]!.id)!;
    await store.deleteRule(account.id, rules[0]!.id);
    await store.changeRule(account.id, rules[1]!.id, { alerts: { surge: false, silence: true } });
    await store.changeRule(account.id, rules[2]!.id, { platforms: { x: { value: 'new', flags: {} } } });
    const changes = [0, 1, 2].map((index) => kept(watchOf(index), [surge()]));
    expect(await store.keepWatches(lease, changes)).toEqual([]);
    expect((await store.alerts({ accountId: account.id, limit: 10 })).alerts).toEqual([]);
    expect((await due(store)).map(({ ruleId }) => ruleId).toSorted()).toEqual(
      rules
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    );
    // A watch that is no longer wanted goes.
    const [left] = await due(store);
    await store.keepWatches(lease, [kept(left!, [], { next: undefined })]);
    expect(await due(store)).toHaveLength(1);
  });

  it('lists alerts of one account in pages, of all rules or of some', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const other = await addOther(store);
    const mine = [await watched(store, account), await watched(store, account)];
    const foreign = await watched(store, other.account);
    const lease = await leaseFor(store);
    const watches = await due(store);
    const watchOf = (rule: NewRule) => watches.find(({ ruleId }) => ruleId === rule.id)!;
    const ids: string[] = [];
    for (const rule of [mine[0]!, mine[1]!, foreign, mine[0]!]) {
      const alert = surge({ to: at(MINUTE) });
      ids.push(alert.id);
      await store.keepWatches(lease, [kept(watchOf(rule), [alert])]);
    }
    const page = async (query: object) => {
      const { alerts, next } = await store.alerts({ accountId: account.id, limit: 2, ...query });
      return { ids: alerts.map(({ id }) => id), next };
    };
    const first = await page({});
    expect(first.ids).toEqual([ids[3], ids[1]]);
    expect(await page({ before: first.next })).toEqual({ ids: [ids[0]], next: undefined });
    expect(await page({ ruleIds: [mine[0]!.id] })).toEqual({ ids: [ids[3], ids[0]], next: undefined });
    expect((await page({ ruleIds: mine.map(({ id }) => id) })).ids).toEqual([ids[3], ids[1]]);
    expect(await page({ ruleIds: [foreign.id] })).toEqual({ ids: [], next: undefined });
    expect(await store.alert(account.id, ids[2]!)).toBeUndefined();
    await store.deleteRule(account.id, mine[0]!.id);
    expect(await page({})).toEqual({ ids: [ids[1]], next: undefined });
  });

  it('removes alerts that ended before retention, and those of deleted rules; what lasts stays', async () => {
    await using stand = await stage(open, { retentionDays: 1 });
    const { store, account } = stand;
    const rule = await watched(store, account);
    const lease = await leaseFor(store);
    const [watch] = await due(store);
    await store.keepWatches(lease, [kept(watch!, [surge({ to: at(MINUTE) }), surge()])]);
    await removeAll(store, at(2 * DAY));
    const { alerts } = await store.alerts({ accountId: account.id, limit: 10 });
    expect(alerts).toMatchObject([{ to: undefined }]);
    await store.deleteRule(account.id, rule.id);
    await removeAll(store, at(2 * DAY));
    expect(await store.watchAgenda(10)).toEqual({ watches: 0, firstDue: undefined });
  });
}

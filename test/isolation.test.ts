/** No operation shows or touches what belongs to another account; a foreign id answers exactly as an unknown one does. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../src/service/access/caller.ts';
import { type OperationName, operations } from '../src/service/operations.ts';
import { grantFor, pairOf } from './conformance/store/grants.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { openService, type TestService } from './stages/service.ts';

const WORDS = ['storm', 'rain', 'snow', 'calm'];

interface Account {
  readonly caller: Caller;
  /** A word that only this account's posts, names and texts hold. */
  readonly mark: string;
  readonly rules: string[];
}

/** An operation to try, from a number: against own things, things of the other account, or nothing at all. */
interface Try {
  readonly by: 0 | 1;
  readonly name: OperationName;
  readonly pick: number;
  readonly word: string;
}

const tries = fc.record<Try>({
  by: fc.constantFrom(0, 1),
  name: fc.constantFrom(...(Object.keys(operations) as OperationName[])),
  pick: fc.nat(1_000),
  word: fc.constantFrom(...WORDS),
});

class World {
  readonly accounts: Account[] = [];
  matches: string[][] = [[], []];
  keys: string[][] = [[], []];
  rehearsals: string[][] = [[], []];
  webhooks: string[][] = [[], []];
  grants: string[][] = [[], []];
  subscriptions: string[][] = [[], []];
  feeds: string[][] = [[], []];
  views: string[][] = [[], []];
  silences: string[][] = [[], []];
  sources: string[][] = [[], []];

  readonly test: TestService;
  readonly clock = fakeClock();

  private constructor(test: TestService) {
    this.test = test;
  }

  static async open(): Promise<World> {
    const clock = fakeClock();
    const world = new World(await openService({ clock }));
    Object.assign(world, { clock });
    for (const mark of ['alicemark', 'bobmark']) {
      const caller = await world.test.caller(mark);
      world.accounts.push({ caller, mark, rules: [] });
      for (const number of [1, 2, 3]) {
        const grant = grantFor(caller.account.id, { clientName: mark, expiresAt: new Date('2027-11-15') });
        await world.test.store.addGrant(grant, { digest: `${mark} ${number}`, challenge: '' });
        const pair = { ...pairOf(grant.id, `${mark} ${number}`), endsAt: new Date('2027-11-15') };
        if (!(await world.test.store.redeemCode(`${mark} ${number}`, pair, grant.createdAt)))
          throw new Error('no grant');
      }
    }
    return world;
  }

  /** Runs a call while time passes, and answers what came of it, errors too. */
  async call(caller: Caller, name: OperationName, input: unknown): Promise<unknown> {
    const running = this.test.call(caller, name, input).then(
      (answer) => ({ answer }),
      (error: { code?: string; message: string; details?: unknown }) => {
        if (error.code === undefined) throw error;
        return { error: { code: error.code, message: error.message, details: error.details } };
      },
    );
    await this.clock.pass(25);
    return running;
  }

  async refresh(): Promise<void> {
    for (const [at, { caller }] of this.accounts.entries()) {
      const { matches } = await this.test.call(caller, 'listMatches', { limit: 1_000 });
      this.matches[at] = matches.map(({ id }) => id);
      this.webhooks[at] = (await this.test.call(caller, 'listWebhooks')).webhooks.map(({ id }) => id);
      this.subscriptions[at] = (await this.test.call(caller, 'listSubscriptions')).subscriptions.map(({ id }) => id);
      this.feeds[at] = (await this.test.call(caller, 'listFeeds')).feeds.map(({ id }) => id);
      this.views[at] = (await this.test.call(caller, 'listViews')).views.map(({ view_id }) => view_id);
      this.silences[at] = (await this.test.call(caller, 'listSilences')).silences.map((one) => one.silence_id);
      this.sources[at] = (await this.test.call(caller, 'listSources')).sources.map(({ id }) => id);
      this.grants[at] = (await this.test.call(caller, 'listGrants')).grants.map(({ id }) => id);
      this.rehearsals[at] = (await this.test.call(caller, 'listRehearsals')).rehearsals.map(({ id }) => id);
      this.keys[at] = (await this.test.call(caller, 'listKeys')).keys.map(({ id }) => id);
    }
  }

  inputOf({ name, pick, word }: Try, account: Account, target: number): unknown {
    const rule_id = choose(this.accounts[target]!.rules, pick) ?? 'rule_unknown';
    const match_id = choose(this.matches[target]!, pick) ?? 'match_unknown';
    const source_id = choose(this.sources[target]!, pick) ?? 'source_unknown';
    const webhook_id = choose(this.webhooks[target]!, pick) ?? 'hook_unknown';
    const rehearsal_id = choose(this.rehearsals[target]!, pick) ?? 'reh_unknown';
    const texts = { platforms: ['x'], overrides: { x: word } };
    const inputs: Record<OperationName, unknown> = {
      createRule: { name: account.mark, intent: account.mark, ...texts },
      listRules: {},
      getRule: { rule_id },
      updateRule: { rule_id, name: `${account.mark} ${pick}`, overrides: { x: word } },
      deleteRule: { rule_id },
      restoreRule: { rule_id },
      listMatches: pick % 2 === 0 ? {} : { rule_id, limit: 10 },
      listStories: pick % 2 === 0 ? {} : { rule_id, limit: 10 },
      matchCounts: { rule_id },
      matchFacets: pick % 2 === 0 ? {} : { rule_id },
      rehearseWake: { rule_ids: [rule_id], wake: { per: 'story' } },
      ruleOverlap: pick % 2 === 0 ? {} : { rule_ids: [rule_id] },
      sendMatch: { match_id, webhook_id },
      previewMessage: { format: 'slack', template: '{{ rule }} {{ text }}', ...(pick % 2 === 0 && { match_id }) },
      deleteMatches: { platform: 'x', platform_post_id: String(pick % 30) },
      rehearseRule: pick % 2 === 0 ? { rule_id } : texts,
      getRehearsal: { rehearsal_id },
      listRehearsals: {},
      cancelRehearsal: { rehearsal_id },
      certify: { rule_id, from: '2026-11-15T08:00:00Z', to: '2026-11-15T08:10:00Z' },
      explainMatch: { match_id },
      draftRule: pick % 2 === 0 ? { rule_id } : { platform: 'x', wanted: [{ data: { id: '1', text: word } }] },
      suggestChanges: { rule_id },
      rateMatch: { match_id, rating: ['relevant', 'irrelevant', null][pick % 3] },
      platformSyntax: {},
      validateRule: { platform: 'x', value: word },
      previewRule: texts,
      nearMisses: pick % 2 === 0 ? { rule_id } : { platform: 'x', value: word },
      explainEvent: pick % 2 === 0 ? { rule_id, text: word } : { rule_id, event_id: String(pick % 30) },
      platformValues: { platform: 'x', operator: 'lang', prefix: word },
      translateRule: { platform: 'x', value: word },
      createKey: { name: account.mark },
      listKeys: {},
      // The first key of an account is the one it calls with here.
      revokeKey: { key_id: this.keys[target]!.slice(1)[pick % 3] ?? 'key_unknown' },
      listGrants: {},
      revokeGrant: { grant_id: choose(this.grants[target]!, pick) ?? 'grant_unknown' },
      createSession: {},
      status: {},
      setDemo: {},
      suspendAccount: { account_id: account.mark },
      resumeAccount: { account_id: account.mark },
      setAccountLimits: { account_id: account.mark, limits: { streams: 1 } },
      listUsage: {},
      listChanges: pick % 2 === 0 ? {} : { id: rule_id },
      listAlerts: pick % 2 === 0 ? {} : { rule_id },
      createStreamTicket: {},
      createEntryTicket: {},
      createFeed: { name: account.mark, ...(pick % 2 === 0 && { rule_id }) },
      listFeeds: {},
      deleteFeed: { feed_id: choose(this.feeds[target]!, pick) ?? 'feed_unknown' },
      createWebhook: { url: `https://${account.mark}.test/`, ...(pick % 2 === 0 && { rule_ids: [rule_id] }) },
      listWebhooks: {},
      updateWebhook: { webhook_id, description: account.mark, paused: true },
      deleteWebhook: { webhook_id },
      testWebhook: { webhook_id },
      listDeliveries: { webhook_id },
      listSubscriptions: {},
      listWakes: { webhook_id },
      nextWake: { agent: account.mark },
      acknowledgeWake: { wake_id: 'dlv_unknown' },
      endSubscription: { subscription_id: choose(this.subscriptions[target]!, pick) ?? 'sub_unknown' },
      webhookStats: { webhook_id },
      createView: { name: account.mark, query: `text=${word}` },
      listViews: {},
      createSilence: { text: word, until: '2026-11-16T00:00:00Z', reason: account.mark },
      listSilences: {},
      endSilence: { silence_id: choose(this.silences[target]!, pick) ?? 'silence_unknown' },
      deleteView: { view_id: choose(this.views[target]!, pick) ?? 'view_unknown' },
      createSource: {
        kind: 'feeds',
        name: account.mark,
        options: { urls: [`https://${pick % 2 === 0 ? account.mark : word}.test/`], every: 60 + (pick % 3) * 60 },
      },
      discoverSource: { url: `https://${account.mark}.test/` },
      listSources: {},
      getSource: { source_id },
      updateSource: { source_id, name: account.mark, paused: pick % 3 === 0 },
      deleteSource: { source_id },
      testSource: { kind: 'feeds', options: { urls: [`https://${account.mark}.test/`] } },
      redeliverWebhook: { webhook_id, since: '2026-11-15T08:00:00Z' },
      pushEvents: {
        platform: 'x',
        lines: JSON.stringify({ data: { id: String(pick % 30), text: `${account.mark} ${word}` } }),
      },
    };
    return inputs[name];
  }
}

const choose = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length];

/** Everything an account can see of itself, to be compared before and after what the other one does. */
async function viewOf(world: World, at: number): Promise<unknown> {
  const { caller } = world.accounts[at]!;
  const { rules } = await world.test.call(caller, 'listRules');
  const { matches } = await world.test.call(caller, 'listMatches', { limit: 1_000 });
  const { keys } = await world.test.call(caller, 'listKeys');
  const { webhooks } = await world.test.call(caller, 'listWebhooks');
  const { deliveries } = await world.test.call(caller, 'listDeliveries');
  const { grants } = await world.test.call(caller, 'listGrants');
  const { subscriptions } = await world.test.call(caller, 'listSubscriptions');
  const { feeds } = await world.test.call(caller, 'listFeeds');
  // They run meanwhile, so that only their ids stay as they are.
  const { rehearsals } = await world.test.call(caller, 'listRehearsals');
  const rehearsed = rehearsals.map(({ id }) => id);
  const { views } = await world.test.call(caller, 'listViews');
  const { silences } = await world.test.call(caller, 'listSilences');
  // They are visited meanwhile, which the other account changes nothing of.
  const { sources } = await world.test.call(caller, 'listSources');
  const owned = sources.map(({ id, name, options }) => ({ id, name, options }));
  return {
    rules,
    matches,
    keys,
    webhooks,
    deliveries,
    grants,
    subscriptions,
    feeds,
    rehearsed,
    views,
    silences,
    owned,
  };
}

async function answersAlike(world: World, caller: Caller, name: OperationName, foreign: unknown, unknown: unknown) {
  const answer = await world.call(caller, name, foreign);
  expect(answer).toEqual(await world.call(caller, name, unknown));
  // Changes outlive what they are about, so an id of nothing has none.
  expect(answer).toMatchObject(name === 'listChanges' ? { answer: { changes: [] } } : { error: { code: 'not_found' } });
}

describe('isolation of accounts', () => {
  it('holds for every operation, whatever came before', async () => {
    const tried = new Set<OperationName>();
    let foreign = 0;
    const property = fc.asyncProperty(fc.array(tries, { minLength: 30, maxLength: 60 }), async (steps) => {
      const world = await World.open();
      for (const step of steps) {
        const [me, other] = [step.by, 1 - step.by];
        const account = world.accounts[me]!;
        await world.refresh();
        const before = JSON.stringify(await viewOf(world, other));

        const against = world.inputOf(step, account, other);
        const unknown = JSON.parse(
          JSON.stringify(against).replaceAll(
            /(rule|match|key|hook|grant|view|silence|source)_[0-9a-z]{26,29}/g,
            '$1_00000000000000000000000000',
          ),
        );
        const namesForeign = JSON.stringify(against) !== JSON.stringify(unknown);
        if (namesForeign) {
          foreign++;
          await answersAlike(world, account.caller, step.name, against, unknown);
        }
        const answer = await world.call(account.caller, step.name, world.inputOf(step, account, me));
        if (step.name === 'createRule') account.rules.push((answer as { answer: { rule_id: string } }).answer.rule_id);
        expect(JSON.stringify(answer)).not.toContain(world.accounts[other]!.mark);
        expect(JSON.stringify(await viewOf(world, other))).toBe(before);
        tried.add(step.name);
      }
      await world.test.service.close();
    });
    await fc.assert(property, { numRuns: 24 });
    expect(foreign).toBeGreaterThan(20);
    expect(tried.size).toBe(Object.keys(operations).length);
  });
});

/** An agent that is limited to some rules: what it sees and does, in every operation. */
import { describe, expect, it } from 'vitest';
import type { GrantScope } from '../../src/domain/account.ts';
import { coverageNow } from '../../src/mcp/told-coverage.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { isOperator } from '../../src/service/access/keys.ts';
import { startStream } from '../../src/service/matches/open-stream.ts';
import { waitForMatches } from '../../src/service/matches/wait-for-matches.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import type { GrantReach } from '../../src/service/perform/operation.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { openService } from '../stages/service.ts';

/** How far an agent reaches with each operation. A new operation must decide. */
const REACH: Record<OperationName, GrantReach | 'keys only'> = {
  createRule: 'account',
  listRules: 'rules',
  deleteRule: 'rules',
  listMatches: 'rules',
  listStories: 'rules',
  platformSyntax: 'rules',
  platformValues: 'rules',
  getRule: 'rules',
  updateRule: 'rules',
  validateRule: 'rules',
  previewRule: 'account',
  nearMisses: 'account',
  explainEvent: 'account',
  translateRule: 'account',
  rehearseRule: 'account',
  getRehearsal: 'account',
  listRehearsals: 'account',
  cancelRehearsal: 'account',
  certify: 'rules',
  explainMatch: 'rules',
  matchCounts: 'rules',
  rateMatch: 'rules',
  draftRule: 'rules',
  suggestChanges: 'rules',
  status: 'rules',
  deleteMatches: 'keys only',
  createKey: 'keys only',
  listKeys: 'keys only',
  revokeKey: 'keys only',
  listChanges: 'keys only',
  listAlerts: 'rules',
  suspendAccount: 'keys only',
  resumeAccount: 'keys only',
  setAccountLimits: 'keys only',
  listUsage: 'keys only',
  setDemo: 'keys only',
  listGrants: 'keys only',
  revokeGrant: 'keys only',
  createSession: 'keys only',
  createStreamTicket: 'keys only',
  createEntryTicket: 'keys only',
  createWebhook: 'keys only',
  listWebhooks: 'keys only',
  updateWebhook: 'keys only',
  deleteWebhook: 'keys only',
  testWebhook: 'keys only',
  listDeliveries: 'keys only',
  redeliverWebhook: 'keys only',
  listSubscriptions: 'keys only',
  listWakes: 'keys only',
  nextWake: 'keys only',
  acknowledgeWake: 'rules',
  endSubscription: 'keys only',
  createFeed: 'keys only',
  listFeeds: 'keys only',
  deleteFeed: 'keys only',
  pushEvents: 'keys only',
  restoreRule: 'rules',
  matchFacets: 'rules',
  ruleOverlap: 'rules',
  sendMatch: 'keys only',
  webhookStats: 'keys only',
  createView: 'keys only',
  listViews: 'keys only',
  deleteView: 'keys only',
  createSilence: 'keys only',
  listSilences: 'keys only',
  rehearseWake: 'keys only',
  previewMessage: 'keys only',
  endSilence: 'keys only',
  discoverSource: 'account',
  createSource: 'account',
  listSources: 'account',
  getSource: 'account',
  updateSource: 'account',
  deleteSource: 'account',
  testSource: 'account',
};

const UNKNOWN_RULE = `rule_${'0'.repeat(26)}`;

/** An account with two rules that both match every storm; agents see the first. `hidden` is only in what is not theirs. */
async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const person = await test.caller('default');
  const make = async (name: string) =>
    (await test.call(person, 'createRule', { name, intent: name, platforms: ['x'], overrides: { x: 'storm' } }))
      .rule_id;
  const [own, hidden] = [await make('own'), await make('hidden')];
  const slow = { name: 'hidden slow', intent: '', platforms: ['firehose'], overrides: { firehose: 'dr:[50 TO 100]' } };
  await test.call(person, 'createRule', slow);
  const push = async (...texts: string[]) => {
    const pushed = test.post(person, ...texts);
    await clock.pass(25);
    await pushed;
  };
  await push('a storm');
  const agent = (scopes: readonly GrantScope[], ruleIds: readonly string[] | undefined): Caller => ({
    account: person.account,
    key: { ...person.key, id: 'grant_1', scope: scopes.includes('full') ? 'full' : 'read' },
    grant: { scopes, ruleIds, tokenDigest: 'd' },
  });
  const { matches } = await test.call(person, 'listMatches');
  const matchOf = (ruleId: string) => matches.find(({ rule_id }) => rule_id === ruleId)!.id;
  return Object.assign(test, { clock, person, own, hidden, agent, push, matchOf });
}
type Stage = Awaited<ReturnType<typeof stage>>;

/** The inputs that an agent of the first rule sends to reach the second. */
function inputs(
  { hidden, matchOf }: Stage,
  ruleId = hidden,
  matchId = matchOf(hidden),
): Partial<Record<OperationName, object>> {
  return {
    getRule: { rule_id: ruleId },
    updateRule: { rule_id: ruleId, name: 'taken' },
    deleteRule: { rule_id: ruleId },
    restoreRule: { rule_id: ruleId },
    listMatches: { rule_id: ruleId },
    listStories: { rule_id: ruleId },
    matchCounts: { rule_id: ruleId },
    matchFacets: { rule_id: ruleId },
    ruleOverlap: { rule_ids: [ruleId] },
    certify: { rule_id: ruleId, from: '2026-11-15T08:00:00Z', to: '2026-11-15T08:10:00Z' },
    explainMatch: { match_id: matchId },
    draftRule: { rule_id: ruleId },
    suggestChanges: { rule_id: ruleId },
    rateMatch: { match_id: matchId, rating: 'relevant' },
  };
}

const outcome = (running: Promise<unknown>): Promise<unknown> =>
  running.catch(({ code, message, details }: { code: string; message: string; details: object }) => ({
    code,
    message,
    details,
  }));

describe('an agent', () => {
  it('reaches with every operation as far as the operation says, and no further', async () => {
    await using test = await stage();
    const whole = test.agent(['read', 'full', 'events'], undefined);
    const limited = test.agent(['read', 'full', 'events'], [test.own]);
    for (const [name, { grants }] of Object.entries(operations) as [OperationName, { grants?: GrantReach }][]) {
      expect([name, grants ?? 'keys only']).toEqual([name, REACH[name]]);
      for (const [agent, reaches] of [
        [whole, REACH[name] !== 'keys only'],
        [limited, REACH[name] === 'rules'],
      ] as const) {
        // An unknown field: only a caller that may use the operation hears of it.
        const answer = (await outcome(test.call(agent, name, { nonsense: true }))) as { code?: string };
        expect([name, answer.code]).toEqual([name, reaches ? 'invalid_argument' : 'permission_denied']);
      }
    }
  });

  it('without the scope full changes nothing', async () => {
    await using test = await stage();
    const reader = test.agent(['read', 'events'], undefined);
    for (const name of ['createRule', 'updateRule', 'deleteRule', 'restoreRule'] as const)
      await expect(test.call(reader, name, {})).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('is never the operator, whatever it was allowed on the operator’s account', async () => {
    await using test = await stage();
    const agent = test.agent(['read', 'full'], undefined);
    expect([isOperator(test.person), isOperator(agent)]).toEqual([true, false]);
    expect(await test.call(agent, 'status')).not.toHaveProperty('instance');
  });

  it('opens no stream of the account', async () => {
    await using test = await stage();
    for (const rules of [undefined, [test.own]])
      await expect(startStream(test.service.context, test.agent(['read'], rules), {}, undefined)).rejects.toMatchObject(
        {
          code: 'permission_denied',
        },
      );
  });
});

describe('an agent that is limited to some rules', () => {
  it('gets for another rule and its matches exactly the answer for what is not there', async () => {
    await using test = await stage();
    const agent = test.agent(['read', 'full'], [test.own]);
    const unknown = inputs(
      test,
      UNKNOWN_RULE,
      test.matchOf(test.own).replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    );
    for (const [name, input] of Object.entries(inputs(test)) as [OperationName, object][]) {
      const answer = await outcome(test.call(agent, name, input));
      expect([name, answer]).toEqual([name, await outcome(test.call(agent, name, unknown[name]))]);
      expect([name, answer]).toMatchObject([name, { code: 'not_found' }]);
    }
    expect((await test.call(test.person, 'getRule', { rule_id: test.hidden })).name).toBe('hidden');
  });

  it('sees its own rules, their matches and their counts, and no trace of others', async () => {
    await using test = await stage();
    const agent = test.agent(['read', 'full'], [test.own]);
    const answers = {
      rules: await test.call(agent, 'listRules'),
      matches: await test.call(agent, 'listMatches'),
      own: await test.call(agent, 'listMatches', { rule_id: test.own }),
      stories: await test.call(agent, 'listStories'),
      status: await test.call(agent, 'status'),
      counts: await test.call(agent, 'matchCounts', { rule_ids: [test.own, test.hidden] }),
      all: await test.call(agent, 'matchCounts'),
    };
    expect(answers.rules.rules.map(({ name }) => name)).toEqual(['own']);
    expect(answers.matches.matches.map(({ rule_id }) => rule_id)).toEqual([test.own]);
    expect(answers.stories.stories).toMatchObject([
      { size: 1, rule_ids: [test.own], first_match: { rule_id: test.own } },
    ]);
    expect(answers.status.platforms).toMatchObject({ x: { rules: 1 }, firehose: { rules: 0, slow_rules: [] } });
    const sum = (counts: readonly { count: number }[]) => counts.reduce((total, { count }) => total + count, 0);
    expect([sum(answers.counts.counts), sum(answers.all.counts)]).toEqual([1, 1]);
    expect(answers.counts.by_rule?.[test.hidden]?.every((count) => count === 0)).toBe(true);
    const { counts: _, ...others } = answers;
    expect(JSON.stringify(others)).not.toContain('hidden');
    expect(JSON.stringify(others)).not.toContain(test.hidden);
  });

  it('hears of the gaps of its own rules, and of no other rule and platform', async () => {
    await using test = await stage();
    const { context } = test.service;
    const pause = (ruleId: string) => test.call(test.person, 'updateRule', { rule_id: ruleId, paused: true });
    const heard = async (caller: Caller) => {
      const { coverage } = await test.call(caller, 'listMatches');
      const { gaps } = (await test.call(caller, 'status')).platforms.x!;
      // Both at once: they must not share an answer.
      const [, now] = await Promise.all([coverageNow(context, test.person, {}), coverageNow(context, caller, {})]);
      return {
        reasons: coverage.reasons.filter((reason) => reason !== 'no_feed'),
        told: now.reasons.filter((reason) => reason !== 'no_feed'),
        rules: [...gaps, ...coverage.gaps].map(({ rule_id }) => rule_id),
        platforms: Object.keys(coverage.platforms),
      };
    };
    const pausedOf = (id: string) => [`paused:${id}`, `gap:${id}`];
    await pause(test.hidden);
    const agent = test.agent(['read'], [test.own, UNKNOWN_RULE]);
    expect(await heard(agent)).toEqual({ reasons: [], told: [], rules: [], platforms: ['x'] });
    await pause(test.own);
    const own = pausedOf(test.own);
    expect(await heard(agent)).toEqual({ reasons: own, told: own, rules: [test.own, test.own], platforms: ['x'] });
    const whole = await heard(test.person);
    expect(whole.told).toEqual(expect.arrayContaining([...own, ...pausedOf(test.hidden)]));
    expect(whole.platforms).toEqual(['x', 'firehose']);
  });

  it('is drafted a rule as if there were no recent events', async () => {
    await using test = await stage();
    await test.push(...Array.from({ length: 50 }, (_, at) => `internet ${at}`));
    const draft = (caller: Caller) => test.call(caller, 'draftRule', { platform: 'x', intent: 'internet' });
    expect((await draft(test.agent(['read'], undefined))).value).toBe('internet');
    expect((await draft(test.agent(['read'], [test.own]))).value).toBe('internet OR internets');
  });

  it('is not shown the page that another caller of the account has just read', async () => {
    await using test = await stage();
    const { listMatchesText } = await import('../../src/service/matches/matches.ts');
    const { signal } = new AbortController();
    const page = async (caller: Caller) =>
      JSON.parse(String(await listMatchesText(test.service.context, caller, { limit: 50 }, { signal }))) as {
        matches: object[];
      };
    expect((await page(test.person)).matches).toHaveLength(2);
    expect((await page(test.agent(['read'], [test.own]))).matches).toHaveLength(1);
    expect((await page(test.person)).matches).toHaveLength(2);
  });

  it('changes and deletes its own rules alone', async () => {
    await using test = await stage();
    const agent = test.agent(['read', 'full'], [test.own]);
    await test.call(agent, 'updateRule', { rule_id: test.own, name: 'mine' });
    await test.call(agent, 'deleteRule', { rule_id: test.own });
    expect((await test.call(agent, 'listRules')).rules).toEqual([]);
    expect((await test.call(test.person, 'listRules')).rules.map(({ name }) => name)).toEqual([
      'hidden',
      'hidden slow',
    ]);
  });

  it('pages through the matches of several rules, each once and in order, whatever the pages hold', async () => {
    await using test = await stage();
    const second = await test.call(test.person, 'createRule', {
      name: 'second',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'rain' },
    });
    for (let n = 0; n < 12; n++) await test.push(...['storm', 'rain', 'storm rain'].slice(n % 3));
    const agent = test.agent(['read'], [test.own, second.rule_id, UNKNOWN_RULE]);
    const everything = (await test.everyMatch(test.person)).filter(({ rule_id }) => rule_id !== test.hidden);
    expect(everything.length).toBeGreaterThan(25);
    for (const limit of [1, 2, 7, 100]) {
      const ids: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await test.call(agent, 'listMatches', { limit, ...(cursor !== undefined && { cursor }) });
        ids.push(...page.matches.map(({ id }) => id));
        cursor = page.next_cursor;
        if (cursor === undefined) break;
      }
      expect(ids).toEqual(everything.map(({ id }) => id));
    }
  });

  it('waits for matches of its own rules alone, each once and in order', async () => {
    await using test = await stage();
    const { context } = test.service;
    const agent = test.agent(['read'], [test.own, UNKNOWN_RULE]);
    const signal = new AbortController().signal;
    let { cursor } = await waitForMatches(context, agent, { limit: 1, milliseconds: 0 }, signal);
    for (let n = 0; n < 5; n++) await test.push('storm', 'storm', 'calm');
    const seen: string[] = [];
    for (let rounds = 0; rounds < 20; rounds++) {
      const waited = await waitForMatches(context, agent, { cursor, limit: 3, milliseconds: 0 }, signal);
      ({ cursor } = waited);
      expect(waited.matches.every(({ ruleId }) => ruleId === test.own)).toBe(true);
      seen.push(...waited.matches.map(({ id }) => id));
    }
    const all = await test.everyMatch(test.person);
    expect(seen).toEqual(
      all
        .filter(({ rule_id }) => rule_id === test.own)
        .map(({ id }) => id)
        .toReversed()
        .slice(1),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { systemClock } from '../../base/clock.ts';
import type { Rule } from '../../domain/rule.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { languages } from '../../rules/languages.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { noMetrics } from '../telemetry.ts';
import { createIngest } from './ingest.ts';
import { createMatching, type Matching } from './matching.ts';
import type { RecheckOutcome } from './recheck.ts';

const rule = (id: string, value: string, change: Partial<Rule> = {}): Rule => ({
  id,
  accountId: 'acct_1',
  name: id,
  intent: '',
  version: 1,
  paused: false,
  createdAt: new Date(0),
  alerts: { surge: false, silence: false },
  platforms: {
    x: {
      value,
      flags: {},
      status: 'active',
      error: undefined,
      platformRuleId: '1',
      matchCount: 0,
      lastMatchAt: undefined,
    },
  },
  ...change,
});

function stage() {
  const unreadable: string[] = [];
  const matching = createMatching({
    languages: languages(),
    clock: systemClock,
    onUnreadable: ({ id }) => unreadable.push(id),
  });
  return { matching, unreadable };
}

/** The rules that a post with this text satisfies. */
function found(matching: Matching, text: string, accountId?: string): string[] {
  const view = newAnalyzer('x')({ data: { id: '1', text } });
  if (isRejection(view)) throw new Error(view.rejected);
  return matching.rules.x.match(view, { accountId })!.found.map(({ ruleId }) => ruleId);
}

async function* slices(...list: Rule[][]) {
  yield* list;
}

describe('loading rules', () => {
  it('reads what is active, and tells of what cannot be read', async () => {
    const { matching, unreadable } = stage();
    await matching.load(slices([rule('a', 'storm'), rule('b', '(')], [rule('c', 'storm', { paused: true })]));
    expect(found(matching, 'storm')).toEqual(['a']);
    expect(unreadable).toEqual(['b']);
    expect(matching.isLoaded).toBe(true);
  });

  it('takes what changes meanwhile for newer than what is read', async () => {
    const { matching } = stage();
    async function* stored() {
      yield [rule('a', 'storm'), rule('b', 'storm')];
      matching.drop('c');
      matching.put({ id: 'd', accountId: 'acct_1', version: 2, texts: { x: { value: 'rain', flags: {} } } });
      matching.put({ id: 'e', accountId: 'acct_1', version: 2, texts: {} });
      yield [rule('c', 'storm'), rule('d', 'storm'), rule('e', 'storm')];
    }
    await matching.load(stored());
    expect(found(matching, 'storm').toSorted()).toEqual(['a', 'b']);
    expect(found(matching, 'rain')).toEqual(['d']);
  });

  it('lets others run in between', async () => {
    const { matching } = stage();
    const progress = { loaded: false, turns: 0 };
    const loading = async () => {
      await matching.load(slices(Array.from({ length: 5_000 }, (_, at) => rule(`r${at}`, 'storm'))));
      progress.loaded = true;
    };
    const done = loading();
    for (; !progress.loaded; progress.turns++) await new Promise((resolve) => setImmediate(resolve));
    await done;
    expect(progress.turns).toBeGreaterThanOrEqual(20);
  });

  it('marks a stored rule that the language no longer takes', async () => {
    const store = await openSqlite(':memory:');
    const first = await openService({ store });
    const alice = await first.caller('alice');
    const now = new Date();
    await store.addRule(
      {
        id: 'rule_old',
        accountId: alice.account.id,
        name: 'old',
        intent: '',
        createdAt: now,
        platforms: { x: { value: '(', flags: {} } },
      },
      {},
    );
    await store.setRuleStatus('rule_old', 'x', { status: 'active', platformRuleId: '1' });
    await using second = await openService({ store });
    expect(await second.call(alice, 'getRule', { rule_id: 'rule_old' })).toMatchObject({
      platforms: { x: { status: 'failed', error: expect.stringContaining('no longer valid') } },
    });
    const mended = await second.call(alice, 'updateRule', { rule_id: 'rule_old', overrides: { x: 'storm' } });
    expect(mended.platforms.x).toMatchObject({ status: 'active', translated_value: 'storm' });
    expect(mended.platforms.x).not.toHaveProperty('error');
    expect(await second.post(alice, 'storm')).toMatchObject({ matches: 1 });
  });
});

describe('matching', () => {
  it('has the core checked on some lines, and finds it right', async () => {
    const outcomes: RecheckOutcome[] = [];
    const matching = createMatching({
      languages: languages(),
      clock: systemClock,
      onUnreadable: () => {},
      onRecheck: (_, outcome) => void outcomes.push(outcome),
    });
    await matching.load(slices([rule('a', 'storm'), rule('b', 'rain'), rule('c', 'storm -rain')]));
    const read = () => newAnalyzer('x')({ data: { id: '1', text: 'storm' } }) as EventView;
    // One in ten thousand is checked, by a hash whose seed is a secret: so there is no telling which one is the first.
    for (let number = 0; outcomes.length === 0; number++) {
      matching.rules.x.matchLine(JSON.stringify({ data: { id: `post-${number}`, text: 'storm' } }), undefined, read);
    }
    expect(outcomes).toMatchObject([{ surplus: [], missing: [] }]);
    expect(outcomes[0]!.rules).toBeGreaterThanOrEqual(2);
    expect(matching.rules.x.live.engine.lineCounts.left).toBe(0);
  });

  it('has the core checked on some events that are matched from their view', async () => {
    const outcomes: RecheckOutcome[] = [];
    const matching = createMatching({
      languages: languages(),
      clock: systemClock,
      onUnreadable: () => {},
      onRecheck: (_, outcome) => void outcomes.push(outcome),
    });
    await matching.load(slices([rule('a', 'storm'), rule('b', 'rain')]));
    const analyze = newAnalyzer('x');
    for (let number = 0; outcomes.length === 0; number++) {
      const view = analyze({ data: { id: `post-${number}`, text: 'storm' } }) as EventView;
      expect(matching.rules.x.match(view, undefined)!.found).toHaveLength(1);
    }
    expect(outcomes).toMatchObject([{ surplus: [], missing: [], postId: expect.stringMatching(/^post-/) }]);
    expect(outcomes[0]!.rules).toBeGreaterThanOrEqual(1);
  });

  it('leaves out the rules of accounts that rest, wherever rules are asked for', async () => {
    const matching = createMatching({
      languages: languages(),
      clock: systemClock,
      isUpstream: () => true,
      onUnreadable: () => {},
    });
    await matching.load(slices([rule('a', 'storm'), rule('b', 'storm', { accountId: 'acct_2' })]));
    const holders = () => matching.rules.x.live.holders({ value: 'storm', flags: {} }).map(({ ruleId }) => ruleId);
    expect(holders().toSorted()).toEqual(['a', 'b']);
    matching.rules.x.live.suspendAccounts('budget_spent', new Set(['acct_1']));
    expect([found(matching, 'storm'), holders()]).toEqual([['b'], ['b']]);
    matching.rules.x.live.suspendAccounts('budget_spent', new Set());
    matching.drop('b');
    expect([found(matching, 'storm'), holders()]).toEqual([['a'], ['a']]);
    matching.put({ id: 'a', accountId: 'acct_1', version: 2, texts: { x: { value: 'rain', flags: {} } } });
    expect([found(matching, 'storm'), holders(), found(matching, 'rain')]).toEqual([[], [], ['a']]);
  });

  it('shows an account its own rules alone, where the event is its own', async () => {
    const { matching } = stage();
    await matching.load(slices([rule('a', 'storm'), rule('b', 'storm', { accountId: 'acct_2' })]));
    expect(found(matching, 'storm').toSorted()).toEqual(['a', 'b']);
    expect(found(matching, 'storm', 'acct_2')).toEqual(['b']);
  });

  it('reports a rule that throws, once in the log and each time to the counters, and stores the others', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    const { context } = test.service;
    const { rules } = context.matching;
    const failures = [{ ruleId: 'rule_bad', error: new Error('bad') }];
    const matching: Matching = {
      ...context.matching,
      rules: {
        ...rules,
        x: {
          ...rules.x,
          matchLine(...args) {
            const matched = rules.x.matchLine(...args);
            return typeof matched === 'object' ? { ...matched, failures } : matched;
          },
        },
      },
    };
    let counted = 0;
    const metrics = { ...noMetrics, ruleFailed: () => void counted++ };
    const ingest = createIngest({ ...context, matching, metrics });
    const lines = ['1', '2'].map((id) => JSON.stringify({ data: { id, text: 'storm' } })).join('\n');
    expect(await ingest.push('x', lines, alice.account.id)).toMatchObject({ accepted: 2, matches: 2 });
    expect(counted).toBe(2);
    expect(test.logged.filter((line) => line.startsWith('error'))).toEqual(['error a rule failed on an event']);
  });

  it('marks the matches of the demo feed, and no others', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    const payload = { demo: true, data: { id: '1', text: 'storm' } };
    await test.service.context.ingest.add('x', [payload], 'demo');
    // A pushed event cannot call itself a demo, nor hide behind the mark.
    await test.call(alice, 'pushEvents', {
      platform: 'x',
      lines: JSON.stringify({ ...payload, data: { id: '2', text: 'storm' } }),
    });
    const { matches } = await test.call(alice, 'listMatches');
    expect(matches.map(({ source, demo }) => ({ source, demo }))).toEqual([
      { source: 'push', demo: undefined },
      { source: 'demo', demo: true },
    ]);
    expect(matches[1]?.payload).toEqual(payload);
  });
});

it('tells once how many steps patterns took, whether an event was matched from its line or from its view', async () => {
  const { matching } = stage();
  matching.put({
    id: 'a',
    accountId: 'acct_1',
    version: 1,
    texts: { firehose: { value: 'title:lav*1 OR title:/l[a-z]+2/', flags: {} } },
  });
  const page = { id: '1', title: 'lava lavas lavast' };
  const view = newAnalyzer('firehose')(page);
  if (isRejection(view)) throw new Error(view.rejected);
  expect(matching.rules.firehose.takeSteps()).toBe(0);
  const stepsOfLine = (): number => {
    matching.rules.firehose.matchLine(JSON.stringify(page), undefined, () => view);
    return matching.rules.firehose.takeSteps();
  };
  const [first, ofLine] = [stepsOfLine(), stepsOfLine()];
  // Its regular expression is compiled for the first one.
  expect(first).toBeGreaterThan(ofLine + 20);
  matching.rules.firehose.match(view, undefined);
  const ofView = matching.rules.firehose.takeSteps();
  expect([ofLine > 0, ofView, matching.rules.firehose.takeSteps(), matching.rules.x.takeSteps()]).toEqual([
    true,
    ofLine,
    0,
    0,
  ]);
});

import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import type { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Arrival } from '../../platforms/platform.ts';
import { languages } from '../../rules/languages.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { Found } from '../ingest/live-records.ts';
import type { PlatformRules } from '../ingest/platform-rules.ts';
import type { Holding } from '../registrations/holding.ts';
import { noMetrics } from '../telemetry.ts';
import { createVerdicts } from './verdicts.ts';

const { x } = languages({ local: true });
const ruleOf = (value: string): Found => ({ ruleId: value, version: 3, text: { value, flags: {} } });
const [storm, rain, sea, ash] = [ruleOf('storm'), ruleOf('rain'), ruleOf('sea'), ruleOf('ash')];
const ALL = [storm, rain, sea, ash];

const HOLDINGS: Readonly<Record<string, Holding | 'late'>> = {
  s: { texts: [storm.text], packed: false },
  r: { texts: [rain.text], packed: false },
  pack: { texts: [sea.text, ash.text], packed: true },
  old: 'late',
};

const arrivalOf = (text: string | undefined, verdicts: readonly string[]): Arrival => ({
  kind: 'arrival',
  postId: '7',
  payload: { data: { id: '7', ...(text !== undefined && { text }) } },
  cursor: 'c',
  verdicts,
  at: new Date(0),
  through: new Date(0),
});

/** `own`: the rules that the engine finds satisfied. */
function stage(own: readonly Found[], heldThen: 'held' | 'missing' | 'unknown' = 'held', failures = 0) {
  const clock = fakeClock();
  const counted: unknown[][] = [];
  const logged: object[] = [];
  const verdicts = createVerdicts({
    platform: 'x',
    registrations: {
      resolve: (_, id) => HOLDINGS[id],
      standsAlone: (_, { value }) => value === 'storm' || value === 'rain',
      heldAt: () => heldThen,
    },
    rules: {
      matchInSlices: async () => ({ found: own, evaluated: 9, failures: Array.from({ length: failures }, () => ({})) }),
      live: { holders: ({ value }: RuleText) => ALL.filter(({ text }) => text.value === value) },
      queryOf: ({ value }: RuleText) => x.queryOf(value),
      highlight: ({ ruleId, version, text }: Found, lookup: ViewLookup) => ({
        ruleId,
        version,
        highlights: highlights(x.queryOf(text.value)!, lookup),
      }),
    } as unknown as PlatformRules,
    clock,
    log: { info: () => {}, warn: (fields) => void logged.push(fields), error: () => {} },
    metrics: {
      ...noMetrics,
      event: (...told) => void counted.push(['event', ...told]),
      verdict: (...told) => void counted.push(['verdict', ...told]),
      ruleFailed: (...told) => void counted.push(['failed', ...told]),
    },
  });
  const judge = (text: string | undefined, named: readonly string[]) => {
    const arrival = arrivalOf(text, named);
    return verdicts.judge(arrival, arrival.verdicts);
  };
  return { clock, counted, logged, verdicts, judge };
}

describe('an arrival', () => {
  it('becomes an event with a match for each rule, its highlights, and whether the engine agrees', async () => {
    const { judge, counted } = stage([storm]);
    expect(await judge('a storm and rain', ['s', 'r'])).toEqual({
      events: [
        {
          event: {
            platform: 'x',
            postId: '7',
            payload: { data: { id: '7', text: 'a storm and rain' } },
            accountId: undefined,
            source: 'x',
          },
          matches: [
            {
              ruleId: 'storm',
              version: 3,
              verdict: 'agreed',
              highlights: [{ field: 'data.text', start: 2, end: 7 }],
            },
            {
              ruleId: 'rain',
              version: 3,
              verdict: 'upstream_only',
              highlights: [{ field: 'data.text', start: 12, end: 16 }],
            },
          ],
        },
      ],
      unknown: [],
      isLate: false,
      doubted: [],
    });
    expect(counted).toEqual([
      ['event', 'x', 9, 2, false],
      ['verdict', 'x', 'agreed'],
      ['verdict', 'x', 'upstream_only'],
    ]);
  });

  it('tells which rules only the engine finds, and counts packs of which it finds none', async () => {
    const { judge, counted } = stage([storm, rain]);
    const judged = await judge('a storm and rain', ['r', 'pack']);
    expect(judged).toMatchObject({ events: [{ engineOnly: ['storm'], matches: [{ ruleId: 'rain' }] }] });
    expect(counted.slice(1)).toEqual([
      ['verdict', 'x', 'unclaimed'],
      ['verdict', 'x', 'agreed'],
      ['verdict', 'x', 'engine_only'],
    ]);
    expect((await stage([storm]).judge('a storm', ['s'])) as object).not.toHaveProperty('events.0.engineOnly');
  });

  it('is judged by the engine where the upstream names no rule, also when none matches', async () => {
    const { judge } = stage([storm]);
    const judged = await judge('a storm', []);
    expect(judged).toMatchObject({ events: [{ matches: [{ ruleId: 'storm' }] }] });
    expect(judged).not.toHaveProperty('events.0.matches.0.verdict');
    expect(await stage([]).judge('calm', [])).toMatchObject({ events: [{ matches: [] }] });
  });

  it('for another program’s rules is no event, and one for a pack of ours is', async () => {
    const { judge } = stage([]);
    expect(await judge('calm', ['stranger'])).toEqual({
      events: [],
      unknown: ['stranger'],
      isLate: false,
      doubted: [],
    });
    expect(await judge('calm', ['pack'])).toMatchObject({ events: [{ matches: [] }] });
    expect(await judge('calm', ['old'])).toMatchObject({ events: [], isLate: true });
  });

  it('that is no event says why, and is not counted', async () => {
    const { judge, counted } = stage([]);
    expect(await judge(undefined, ['s'])).toEqual({ rejected: expect.any(String) });
    expect(counted).toEqual([]);
  });

  it('that is judged again for what was unknown is counted as one that was counted, and blames no one', async () => {
    const { verdicts, counted } = stage([storm, rain]);
    const judged = await verdicts.judge(arrivalOf('a storm and rain', ['r', 'late one']), ['r']);
    expect(judged).not.toHaveProperty('events.0.engineOnly');
    expect(counted).toEqual([
      ['event', 'x', 9, 1, true],
      ['verdict', 'x', 'agreed'],
    ]);
  });

  it('counts the rules that failed on it', async () => {
    const { judge, counted } = stage([storm], 'held', 2);
    await judge('a storm', ['s']);
    expect(counted.slice(0, 2)).toEqual([
      ['failed', 'x'],
      ['failed', 'x'],
    ]);
  });

  it('with hundreds of matches is stored in parts of two hundred, of which the first tells what only the engine finds', async () => {
    const many = Array.from({ length: 401 }, (_, at) => ({ ...ruleOf('sea'), ruleId: `sea ${at}` }));
    const { judge } = stage([...many, storm]);
    const judged = (await judge('the sea in a storm', ['pack'])) as unknown as { events: { matches: object[] }[] };
    expect(judged.events.map(({ matches }) => matches.length)).toEqual([200, 200, 1]);
    expect(judged.events.map((event) => 'engineOnly' in event)).toEqual([true, false, false]);
  });
});

describe('a rule on which the upstream and the engine disagree', () => {
  it('is logged once a minute, and one on which they agree never', async () => {
    const { judge, logged, clock } = stage([storm]);
    for (let times = 0; times < 2; times++) await judge('a storm and rain', ['s', 'r']);
    expect(logged).toEqual([{ platform: 'x', ruleId: 'rain', postId: '7', verdict: 'upstream_only' }]);
    clock.jump(59_999);
    await judge('a storm and rain', ['s', 'r']);
    expect(logged).toHaveLength(1);
    clock.jump(1);
    await judge('a storm and rain', ['s', 'r']);
    expect(logged).toHaveLength(2);
  });
});

describe('a rule in doubt', () => {
  const settle = (heldThen: 'held' | 'missing' | 'unknown', isLast: boolean, text: string | undefined = 'a storm') =>
    stage([], heldThen).verdicts.resolveDoubts(arrivalOf(text, ['r']), [storm], isLast);

  it('is stored when the upstream had lost it, and forgotten when it had not', async () => {
    const matches = [{ ruleId: 'storm', version: 3, highlights: [{ field: 'data.text', start: 2, end: 7 }] }];
    expect(await settle('missing', false)).toMatchObject({ events: [{ matches }], doubted: [] });
    expect(await settle('held', true)).toEqual({ events: [], doubted: [] });
  });

  it('stays in doubt until the last look, which stores it', async () => {
    expect(await settle('unknown', false)).toEqual({ events: [], doubted: [storm] });
    expect(await settle('unknown', true)).toMatchObject({
      events: [{ matches: [{ ruleId: 'storm' }] }],
      doubted: [],
    });
  });
});

/**
 * Rules as other tools write them. The first fix is what an agent applies: it is judged by the events that it matches, never by its
 * spelling. The table of habits is judged by its own examples, which the documents print.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLATFORMS, type Platform } from '../src/domain/platform.ts';
import { isRejection } from '../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../src/engine/events/page-event.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { holds } from '../src/engine/scan.ts';
import { applyFix } from '../src/rules/fix.ts';
import { HABITS } from '../src/rules/habits/table.ts';
import { languages } from '../src/rules/languages.ts';
import { type Remark, remarksOn } from '../src/service/rules/rule-problems.ts';
import { type HabitCase, payloadOf, readHabits } from './stages/habit-cases.ts';

const NOW = Date.UTC(2026, 1, 13, 8, 6, 32);
const LEAST_RIGHT = 0.95;

const all = languages();
const analyzers = { x: xAnalyzer(), firehose: pageAnalyzer() };

type Verdict = 'right' | 'opposite' | 'dead' | 'wrong' | 'refused';

/** How a text stands to what was meant. */
function verdictOn(text: string, { platform, matches, misses }: HabitCase): Verdict {
  const { query } = all[platform].parse(text);
  if (query === undefined) return 'refused';
  const matched = (written: string) => {
    const view = analyzers[platform](payloadOf(platform, written));
    if (isRejection(view)) throw new Error(view.rejected);
    return holds(query, view, NOW);
  };
  const [found, extra] = [matches.filter(matched).length, misses.filter(matched).length];
  if (found === matches.length && extra === 0) return 'right';
  if (found === 0) return extra > 0 && extra === misses.length ? 'opposite' : 'dead';
  return 'wrong';
}

/** The suggestion that is applied first: that of the first error, or of the first remark. */
function firstOf(remarks: readonly Remark[]): string | undefined {
  const offered = remarks.filter(({ suggestion }) => suggestion !== undefined);
  return (offered.find(({ severity }) => severity === 'error') ?? offered[0])?.suggestion;
}

interface Judged {
  readonly typed: string;
  readonly offered: string | undefined;
  readonly verdict: Verdict;
  readonly noticed: boolean;
  /** The suggestion for the offered text in turn. */
  readonly next: string | undefined;
}

function judge(one: HabitCase): Judged {
  const remarks = remarksOn(all[one.platform], '', one.typed);
  const offered = firstOf(remarks);
  const verdict = one.cannot ? 'right' : verdictOn(offered ?? one.typed, one);
  const isRightAsTyped = !one.cannot && verdictOn(one.typed, one) === 'right';
  return {
    typed: `${one.platform} ${one.typed}`,
    offered,
    verdict,
    noticed: remarks.length > 0 || isRightAsTyped,
    next: offered === undefined ? undefined : firstOf(remarksOn(all[one.platform], '', offered)),
  };
}

describe.each(['typed.txt', 'typed-more.txt', 'typed-mixed.txt', 'typed-fresh.txt'])('habits in %s', (file) => {
  const judged = readHabits(file).map(judge);
  const shown = (list: readonly Judged[]) =>
    list.map(({ typed, offered, verdict }) => `${typed} -> ${offered}: ${verdict}`);

  it('are mended by the first fix into what was meant', () => {
    const right = judged.filter(({ verdict }) => verdict === 'right');
    console.log(
      `${file}: ${right.length} of ${judged.length} right`,
      ...shown(judged.filter((one) => !right.includes(one))),
    );
    expect(judged.length).toBeGreaterThanOrEqual(60);
    expect(right.length / judged.length).toBeGreaterThanOrEqual(LEAST_RIGHT);
  });

  it('are never mended into the opposite, nor into a rule that finds none of it', () => {
    const harmful = judged.filter(
      ({ verdict, offered }) => verdict === 'opposite' || (verdict === 'dead' && offered !== undefined),
    );
    expect(shown(harmful)).toEqual([]);
  });

  it('are all remarked on, and mended in one step', () => {
    expect(shown(judged.filter(({ noticed }) => !noticed))).toEqual([]);
    expect(shown(judged.filter(({ next }) => next !== undefined))).toEqual([]);
  });
});

/** Codes that say of a rule that it never matches, whatever else they say. */
const SAYS_DEAD: ReadonlySet<string> = new Set([
  'never-matches',
  'unknown-label',
  'unknown-language',
  'unknown-country',
  'wrong-case',
  'other-syntax',
]);

const IDLE: Readonly<Record<string, (code: string) => boolean>> = {
  dead: (code) => SAYS_DEAD.has(code),
  all: (code) => code === 'matches-everything',
  pointless: (code) => code === 'pointless-clause',
};

describe('rules that do not do what they seem to', () => {
  const lines = ['idle.txt', 'idle-more.txt'].flatMap((file) =>
    readFileSync(join(import.meta.dirname, 'corpus', 'habits', file), 'utf8').split('\n'),
  );
  const rules = lines.flatMap((line) => {
    const [, kind, platform, rule] = /^(dead|all|pointless)\s+(x|firehose)\s+(.*)$/.exec(line) ?? [];
    return kind === undefined || rule === undefined ? [] : [{ kind, platform: platform as Platform, rule }];
  });

  it('are told', () => {
    expect(rules.length).toBeGreaterThanOrEqual(200);
    const silent = rules.filter(({ kind, platform, rule }) => {
      const { query, diagnostics } = all[platform].parse(rule);
      return query !== undefined && !diagnostics.some(({ code }) => IDLE[kind]!(code));
    });
    console.log(`${rules.length - silent.length} of ${rules.length} told`, ...silent.map(({ rule }) => rule));
    expect(silent.length / rules.length).toBeLessThanOrEqual(1 - LEAST_RIGHT);
  });

  it('lose a clause that changes nothing by a fix that leaves the meaning as it is', () => {
    for (const { kind, platform, rule } of rules) {
      if (kind !== 'pointless') continue;
      const [fix] = all[platform]
        .parse(rule)
        .diagnostics.flatMap(({ code, fixes = [] }) => (code === 'pointless-clause' ? fixes : []));
      if (fix === undefined) continue;
      expect(all[platform].parse(applyFix(rule, fix)).diagnostics, rule).toEqual([]);
    }
  });

  it('are none of the rules that the help gives as examples', () => {
    for (const platform of PLATFORMS) {
      const { help } = all[platform];
      const good = [...help.examples.map(({ rule }) => rule), ...help.operators.map(({ example }) => example)];
      expect(good.filter((rule) => all[platform].parse(rule).diagnostics.length > 0)).toEqual([]);
    }
  });
});

describe('a suggestion', () => {
  const suggested = (platform: Platform, typed: string) => firstOf(remarksOn(all[platform], '', typed));

  it.each<[Platform, string, string | undefined]>([
    ['x', 'lava -(lang:en,de)', 'lava -lang:en -lang:de'],
    ['x', 'lava -(from:nasa,esa)', 'lava -from:nasa -from:esa'],
    ['x', 'lava (from:nasa, esa)', 'lava (from:nasa OR from:esa)'],
    ['x', 'lava [lang:en, es]', 'lava (lang:en OR lang:es)'],
    ['x', 'lava (from:nasa, esa, lang:en)', undefined],
    ['x', 'lava (has:images, jobs)', undefined],
    ['firehose', 'tesla AND (domain:a.com, b.com)', 'tesla AND (domain:a.com OR domain:b.com)'],
    ['firehose', 'tesla AND (domain:a.com, title:b)', 'tesla AND (domain:a.com OR title:b)'],
  ])('on %s carries the name before a list to all of it, or to none: %s', (platform, typed, offered) => {
    expect(suggested(platform, typed)).toBe(offered);
  });

  it.each<[Platform, string, string | undefined]>([
    ['firehose', 'tesla -before:2026-01-01', 'tesla -publish_time:[* TO 2026-01-01]'],
    ['firehose', 'tesla -after:2026-01-01', 'tesla -publish_time:[2026-01-01 TO *]'],
    ['firehose', 'tesla AND NOT after:2026-01-01', 'tesla AND NOT publish_time:[2026-01-01 TO *]'],
    ['firehose', 'tesla -last:24h', undefined],
    ['firehose', 'tesla AND NOT last:24h', undefined],
    ['firehose', 'lava -recent:2w', undefined],
    ['x', 'lava -before:2026-01-01', 'lava'],
    ['x', 'lava NOT after:2026-01-01', 'lava'],
    ['x', 'lava NOT storm+surge', 'lava -(storm surge)'],
    ['x', 'lava -storm+surge', 'lava -(storm surge)'],
    ['x', 'lava not storm+surge', 'lava -(storm surge)'],
    ['firehose', 'lava -storm+surge', 'lava -(storm AND surge)'],
    ['x', 'tesla -is:original', 'tesla is:retweet'],
    ['x', 'tesla -is:not_retweet', 'tesla is:retweet'],
    ['x', 'tesla -is:tweet', undefined],
    ['x', 'tesla NOT is:original', undefined],
  ])('on %s never asks for what was excluded: %s', (platform, typed, offered) => {
    expect(suggested(platform, typed)).toBe(offered);
  });

  it.each([
    ['date:[2026-01-01 TO 2026-01-31]', 'publish_time:[2026-01-01 TO 2026-01-31T23:59:59]'],
    ['date:{2026-01-01 TO 2026-01-31}', 'publish_time:{2026-01-01 TO 2026-01-31}'],
    ['publish_time<=2026-01-31', 'publish_time:[* TO 2026-01-31T23:59:59]'],
    ['publish_time:<=2026-01-31', 'publish_time:[* TO 2026-01-31T23:59:59]'],
    ['publish_time:[2026-01-01,2026-01-31]', 'publish_time:[2026-01-01 TO 2026-01-31T23:59:59]'],
    ['publish_time:2026-01-01..2026-01-31', 'publish_time:[2026-01-01 TO 2026-01-31T23:59:59]'],
    ['publish_time:2026-01-01 TO 2026-01-31', 'publish_time:[2026-01-01 TO 2026-01-31T23:59:59]'],
    ['enddate:2026-01-31', 'publish_time:[* TO 2026-01-31T23:59:59]'],
  ])('has all of the last day: %s', (typed, offered) => {
    expect(suggested('firehose', `tesla AND ${typed}`)).toBe(`tesla AND ${offered}`);
  });
});

const examples = HABITS.flatMap(({ name, examples: given }) =>
  PLATFORMS.flatMap((platform) => (given[platform] === undefined ? [] : [[name, platform, given[platform]] as const])),
);

describe('the table of habits', () => {
  it.each(examples)('%s on %s: %s is remarked on, and mended where there is a way', (_, platform: Platform, typed) => {
    const remarks = remarksOn(all[platform], '', typed);
    const [first] = remarks;
    expect(first?.message).toMatch(/\.$|X says: /);
    const offered = firstOf(remarks);
    if (offered === undefined) return;
    expect(all[platform].parse(offered)).toMatchObject({ diagnostics: [] });
  });

  it('has one row for each habit', () => {
    const names = HABITS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

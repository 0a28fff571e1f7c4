/**
 * Every rule of the corpus that can never match, or matches everything, is warned about; none that does match is. What
 * a rule matches is seen on events made of its own terms, on the events of the corpus and on other people's pages.
 */
import { describe, expect, it } from 'vitest';
import type { Platform } from '../src/domain/platform.ts';
import { holds } from '../src/engine/scan.ts';
import { languages } from '../src/rules/languages.ts';
import type { Query } from '../src/rules/query.ts';
import { EVENT_NOW, eventsFor } from './query-events.ts';
import { readCorpus } from './stages/corpus.ts';
import { hasSharedData, sharedJson, sharedLines } from './stages/shared-data.ts';

const all = languages();

/** Remarks after which it is no surprise that nothing matches. */
const SAYS_DEAD = new Set([
  'never-matches',
  'unknown-field',
  'unknown-label',
  'unknown-language',
  'other-language',
  'wrong-case',
  'regex-anchor',
  'json-escape',
]);

/** Whether the rule matches some of the events made of its terms, and whether it matches all of them. */
function verdictOn(platform: Platform, query: Query): { some: boolean; every: boolean } {
  let [some, every] = [false, true];
  for (const event of eventsFor(platform, [query])) {
    const matches = holds(query, event, EVENT_NOW);
    some ||= matches;
    every &&= matches;
  }
  return { some, every };
}

describe.each(['x', 'firehose'] as const)('rules of the corpus on %s', (platform) => {
  const rules = [...readCorpus(platform), ...readCorpus(`match-${platform}`)].flatMap(({ rule, expected }) => {
    const { query, diagnostics } = all[platform].parse(rule);
    if (query === undefined || query.kind === 'upstream') return [];
    const matched = expected.some(({ sign }) => sign === '+');
    return [{ rule, query, matched, codes: diagnostics.map(({ code }) => code) }];
  });

  it('are warned about where they match none of the events made of their own terms', () => {
    expect(rules.length).toBeGreaterThan(150);
    const silent = rules.filter(({ query, codes }) => {
      // A pattern is tried on a few texts only, and a sample on a few ids: that none fits says nothing.
      if (/"(?:regex|wildcard|sample)"/.test(JSON.stringify(query))) return false;
      return !verdictOn(platform, query).some && !codes.some((code) => SAYS_DEAD.has(code));
    });
    expect(silent.map(({ rule }) => rule)).toEqual([]);
  });

  it('are warned about where they match all events', () => {
    const silent = rules.filter(
      ({ query, codes }) => verdictOn(platform, query).every && !codes.includes('matches-everything'),
    );
    expect(silent.map(({ rule }) => rule)).toEqual([]);
  });

  it('are not said to be dead where the corpus has an event that matches', () => {
    const wrong = rules.filter(({ matched, codes }) => matched && codes.includes('never-matches'));
    expect(wrong.map(({ rule }) => rule)).toEqual([]);
  });
});

describe.runIf(hasSharedData)('shared: rules of others', () => {
  const MOST_FALSE_ALARMS = 0.01;

  it('are not said to be dead where Lucene found a page, nor to match all where it found few', () => {
    const verdicts = sharedLines<{ query: string; ok: boolean; matches: string[] }>(
      'rules/lucene-verdicts.ndjson.gz',
    ).filter(({ ok }) => ok);
    const pages = sharedLines('pages/pages.ndjson.gz').length;
    const wrong = verdicts.filter(({ query, matches }) => {
      const codes = new Set(all.firehose.parse(query).diagnostics.map(({ code }) => code));
      if (codes.has('never-matches')) return matches.length > 0;
      return codes.has('matches-everything') && matches.length < pages / 2;
    });
    console.log(`false alarms on ${verdicts.length} rules: ${wrong.length}`);
    expect(wrong.length / verdicts.length).toBeLessThanOrEqual(MOST_FALSE_ALARMS);
  });

  it('are not said to be dead, to match all or to be loose where X took them', () => {
    const rules = sharedJson<{ rule: string; valid: boolean }[]>('rules/powertrack-grammar-cases.json')
      .concat(sharedJson('rules/x-rule-verdicts.json'))
      .filter(({ valid }) => valid);
    const wrong = rules.filter(({ rule }) =>
      all.x
        .parse(rule)
        .diagnostics.some(({ code }) => /^(?:never-matches|matches-everything|loose-condition)$/.test(code)),
    );
    expect(rules.length).toBeGreaterThan(80);
    expect(wrong.length / rules.length).toBeLessThanOrEqual(MOST_FALSE_ALARMS);
  });
});

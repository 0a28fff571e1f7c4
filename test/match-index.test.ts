import { describe, expect, it } from 'vitest';
import type { Platform } from '../src/domain/platform.ts';
import { createCoreEngine } from '../src/engine/core/core-engine.ts';
import { type Analyzer, isRejection } from '../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../src/engine/events/page-event.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { queryHolds } from '../src/engine/one-rule/holds.ts';
import { ViewLookup } from '../src/engine/one-rule/view-lookup.ts';
import { languages } from '../src/rules/languages.ts';
import type { Query } from '../src/rules/query.ts';
import { createScan } from './stages/scan.ts';
import { hasSharedData, sharedLines } from './stages/shared-data.ts';

function compare(
  platform: Platform,
  texts: readonly string[],
  payloads: readonly unknown[],
  analyze: Analyzer,
): number {
  const language = languages({ level: 'enterprise' })[platform];
  const core = createCoreEngine({ now: () => 0 });
  const scan = createScan({ now: () => 0 });
  const queries = new Map<string, Query>();
  for (const [index, text] of texts.entries()) {
    const query = language.queryOf(text);
    if (query === undefined) continue;
    for (const engine of [core, scan]) engine.put(`${index}: ${text}`, query);
    queries.set(`${index}: ${text}`, query);
  }
  let matches = 0;
  for (const payload of payloads) {
    const view = analyze(payload);
    if (isRejection(view)) continue;
    const expected = scan.match(view).matches.toSorted();
    expect(core.match(view).matches.toSorted()).toEqual(expected);
    const lookup = new ViewLookup(view, 0);
    const held = [...queries].filter(([, query]) => queryHolds(query, lookup)).map(([id]) => id);
    expect(held.toSorted()).toEqual(expected);
    matches += expected.length;
  }
  return matches;
}

describe.runIf(hasSharedData)('shared: core and one rule against scan', () => {
  it('agrees on queries from the tests of Lucene and others, over real pages', () => {
    const texts = sharedLines<{ query: string }>('rules/lucene-verdicts.ndjson.gz').map(({ query }) => query);
    const pages = sharedLines('pages/pages.ndjson.gz').filter((_, index) => index % 16 === 0);
    expect(compare('firehose', texts, pages, pageAnalyzer())).toBeGreaterThan(1_000);
  });

  it('agrees on rules made of the words of real posts', () => {
    const posts = sharedLines<{ data: { text: string } }>('posts/x-v2-posts.ndjson.gz').filter(
      (_, index) => index % 24 === 0,
    );
    const texts = posts.flatMap(({ data }) => {
      const words = data.text.match(/[\p{L}\p{N}]+/gu) ?? [];
      const [first = 'a', second = 'b', third = 'c'] = words.slice(Math.floor(words.length / 2));
      return [
        `"${first} ${second}"`,
        `${first} (${second} OR ${third}) -is:retweet`,
        `"${first} ${third}"~3`,
        `${third} -${first}`,
      ];
    });
    expect(compare('x', texts, posts, xAnalyzer())).toBeGreaterThan(300);
  });
});

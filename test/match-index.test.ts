import { describe, expect, it } from 'vitest';
import type { Platform } from '../src/domain/platform.ts';
import { type Analyzer, isRejection } from '../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../src/engine/events/page-event.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { createScan } from '../src/engine/scan.ts';
import { languages } from '../src/rules/languages.ts';
import { ENGINES } from './conformance/engines.ts';
import { hasSharedData, sharedLines } from './stages/shared-data.ts';

function compare(
  platform: Platform,
  texts: readonly string[],
  payloads: readonly unknown[],
  analyze: Analyzer,
): number {
  const language = languages({ level: 'enterprise' })[platform];
  const engines = ENGINES.map(([, create]) => create());
  const scan = createScan();
  for (const [index, text] of texts.entries()) {
    const { query } = language.parse(text);
    if (query === undefined) continue;
    for (const engine of engines) engine.put(`${index}: ${text}`, query);
    scan.put(`${index}: ${text}`, query);
  }
  let matches = 0;
  for (const payload of payloads) {
    const view = analyze(payload);
    if (isRejection(view)) continue;
    const expected = scan.match(view).matches.toSorted();
    for (const engine of engines) expect(engine.match(view).matches.toSorted()).toEqual(expected);
    matches += expected.length;
  }
  return matches;
}

describe.runIf(hasSharedData)('shared: index and core against scan', () => {
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

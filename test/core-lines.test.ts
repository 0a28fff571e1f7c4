import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCoreEngine, type LineEngine } from '../src/engine/core/core-engine.ts';
import { type EventView, isRejection } from '../src/engine/events/event-view.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { createEngine } from '../src/engine/index/engine.ts';
import { createScan, type Scan } from '../src/engine/scan.ts';
import type { Query } from '../src/rules/query.ts';
import { readLine } from '../src/service/ingest/payloads.ts';
import { anyDamagedLine, anyLine } from './generated/random-lines.ts';
import { hasSharedData, sharedLines } from './stages/shared-data.ts';

const analyze = xAnalyzer();

function viewOf(line: Buffer): EventView | undefined {
  const reading = readLine('x', line.toString());
  if ('rejected' in reading) return undefined;
  const view = analyze(reading.payload);
  return isRejection(view) ? undefined : view;
}

/** A rule for each word of an event, and for each two that stand side by side. */
function* rulesOf({ pieces, words }: EventView, fields: ReadonlySet<string>): Generator<Query> {
  for (let at = 0; at < words.count; at++) {
    const { field, text } = pieces[words.pieces[at]!]!;
    if (!fields.has(field)) continue;
    const term = text.slice(words.starts[at], words.ends[at]);
    yield { kind: 'term', field, term };
    if (at === 0 || words.pieces[at - 1] !== words.pieces[at]) continue;
    const before = text.slice(words.starts[at - 1], words.ends[at - 1]);
    yield { kind: 'phrase', field, terms: [before, term], slop: 0 };
    yield { kind: 'literal', field, text: text.slice(words.starts[at - 1], words.ends[at]), terms: [before, term] };
  }
}

/** What rules look at decides what the core reads. */
const FIELD_SETS: readonly ReadonlySet<string>[] = [
  new Set(['text']),
  new Set(['text', 'hashtag', 'lang']),
  new Set(['hashtag', 'mention', 'cashtag', 'url']),
  new Set(['from', 'lang', 'has', 'url', 'text']),
  new Set(['text', 'from', 'url_title', 'url_description', 'mention']),
];

interface Engines {
  readonly core: LineEngine;
  readonly oracle: Scan;
}

const namesIn = (core: LineEngine, { numbers, count }: { numbers: Int32Array; count: number }): string[] =>
  Array.from(numbers.subarray(0, count), (number) => core.idOf(number)).toSorted();

/** The core must find just what the oracle finds on the line as JSON.parse and the analyzer read it. */
function agree({ core, oracle }: Engines, line: Buffer): void {
  const report = core.matchLine(line, () => viewOf(line));
  const view = viewOf(line);
  expect(report === undefined).toBe(view === undefined);
  if (report === undefined || view === undefined) return;
  const found = namesIn(core, report);
  expect(found).toEqual(oracle.match(view).matches.toSorted());
}

function agreeOn(
  lines: readonly Buffer[],
  fields: ReadonlySet<string>,
  oracle: Scan,
): { walked: number; left: number } {
  // A view is valid until the next is made, so rules come of one at a time.
  const engines = { core: createCoreEngine({ platform: 'x' }), oracle };
  for (const line of lines) {
    const view = viewOf(line);
    if (view === undefined) continue;
    for (const query of rulesOf(view, fields)) {
      engines.core.put(JSON.stringify(query), query);
      engines.oracle.put(JSON.stringify(query), query);
    }
  }
  for (const line of lines) agree(engines, line);
  return engines.core.lineCounts;
}

describe.each(FIELD_SETS.map((fields) => [[...fields].join(', '), fields] as const))(
  'with rules on %s',
  (_, fields) => {
    it('the core reads posts as the analyzer does', () => {
      fc.assert(
        fc.property(
          fc.array(anyLine, { minLength: 1, maxLength: 6 }),
          (lines) => void agreeOn(lines, fields, createScan()),
        ),
        { numRuns: 60 },
      );
    });

    it('the core takes no damaged line for another than JSON.parse does', () => {
      fc.assert(
        fc.property(
          fc.array(anyDamagedLine, { minLength: 1, maxLength: 4 }),
          (lines) => void agreeOn(lines, fields, createScan()),
        ),
        { numRuns: 60 },
      );
    });
  },
);

describe.runIf(hasSharedData)('shared: real posts as lines', () => {
  it.each([FIELD_SETS[1]!, FIELD_SETS[3]!])('are read by the core as by the analyzer, with rules on %s', (fields) => {
    const posts = sharedLines('posts/x-v2-posts.ndjson.gz').filter((_, at) => at % 100 === 0);
    const texts = sharedLines<{ id: string; text: string; lang?: string }>('posts/short-texts.ndjson.gz')
      .filter((_, at) => at % 600 === 0)
      .map(({ id, text, lang }) => ({ data: { id, text, lang } }));
    const { walked } = agreeOn(
      [...posts, ...texts].map((post) => Buffer.from(JSON.stringify(post))),
      fields,
      // The scan would take minutes on so many rules.
      createEngine(),
    );
    expect(walked).toBeGreaterThan(texts.length / 2);
  });
});

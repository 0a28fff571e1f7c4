/** Lines matched by the core from their bytes, and by an oracle as `JSON.parse` and the analyzer read them. */
import assert from 'node:assert/strict';
import type fc from 'fast-check';
import type { Platform } from '../../src/domain/platform.ts';
import { type CoreEngine, createCoreEngine } from '../../src/engine/core/core-engine.ts';
import { newAnalyzer } from '../../src/engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../src/engine/events/event-view.ts';
import type { Query } from '../../src/rules/query.ts';
import { readLine } from '../../src/service/ingest/payloads.ts';
import type { Scan } from '../stages/scan.ts';
import { anyPageLine } from './random-pages.ts';
import { anyPostLine } from './random-posts.ts';

export const ANY_LINE: Readonly<Record<Platform, fc.Arbitrary<Buffer>>> = { x: anyPostLine, firehose: anyPageLine };

/** What rules look at decides what the core reads. */
export const FIELD_SETS: Readonly<Record<Platform, readonly ReadonlySet<string>[]>> = {
  x: [
    new Set(['text']),
    new Set(['text', 'hashtag', 'lang']),
    new Set(['hashtag', 'mention', 'cashtag', 'url']),
    new Set(['from', 'lang', 'has', 'url', 'text']),
    new Set(['text', 'from', 'url_title', 'url_description', 'mention']),
    new Set(['conversation_id', 'text']),
  ],
  firehose: [
    new Set(['added']),
    new Set(['added', 'title', 'language']),
    new Set(['added', 'removed', 'added_anchor', 'removed_anchor']),
    new Set(['url', 'domain', 'publish_time', 'page_category', 'page_type', 'language']),
  ],
};

const ANALYZERS = { x: newAnalyzer('x'), firehose: newAnalyzer('firehose') };

/** Valid until the next line is read. */
export function viewOf(platform: Platform, line: Buffer): EventView | undefined {
  const reading = readLine(platform, line.toString());
  if ('rejected' in reading) return undefined;
  const view = ANALYZERS[platform](reading.payload);
  return isRejection(view) ? undefined : view;
}

/** Words that stand nearer together than this make a phrase. */
const NEAR = 4;
/** Words of an event that patterns are made of: trying them all would take minutes. */
const FEW = 3;

/** A rule for each word of an event, and for each two that stand near each other; on pages, phrases run on to the next piece. */
function* rulesOf(platform: Platform, view: EventView, fields: ReadonlySet<string>): Generator<Query> {
  const { pieces, words } = view;
  const textAt = (at: number) => pieces[words.pieces[at]!]!.text.slice(words.starts[at], words.ends[at]);
  for (let at = 0; at < words.count; at++) {
    const { field, text } = pieces[words.pieces[at]!]!;
    if (!fields.has(field)) continue;
    const term = textAt(at);
    yield { kind: 'term', field, term };
    if (at < FEW) yield* patternsOf(field, term, at);
    const inPiece = words.pieces[at - 1] === words.pieces[at];
    if (at === 0 || !(inPiece || (platform === 'firehose' && pieces[words.pieces[at - 1]!]!.field === field))) continue;
    const distance = words.positions[at]! - words.positions[at - 1]!;
    const hole: null[] = Array.from({ length: distance < NEAR ? distance - 1 : 0 }, () => null);
    yield { kind: 'phrase', field, terms: [textAt(at - 1), ...hole, term], slop: 0 };
    // A literal names all the words of its text.
    if (!inPiece || distance !== 1) continue;
    yield {
      kind: 'literal',
      field,
      text: text.slice(words.starts[at - 1], words.ends[at]),
      terms: [textAt(at - 1), term],
    };
  }
}

/** Patterns that the word fits: by its beginning, by its end, by what is inside. Each is cut between characters. */
function* patternsOf(field: string, term: string, at: number): Generator<Query> {
  const characters = Array.from(term).filter((character) => !'*?\\'.includes(character));
  if (characters.length < Array.from(term).length || characters.length === 0) return;
  const length = 1 + (at % 5);
  yield { kind: 'prefix', field, prefix: characters.slice(0, length).join('') };
  if (characters.length < 3) return;
  yield { kind: 'wildcard', field, pattern: `*${characters.slice(-length).join('')}` };
  yield { kind: 'wildcard', field, pattern: `*${characters.slice(1, 5).join('')}*` };
  yield { kind: 'contains', field, text: characters.slice(0, 4).join('') };
}

/** The core must find just what the oracle finds. */
function agree(platform: Platform, core: CoreEngine, oracle: Scan, line: Buffer): void {
  const report = core.matchLine(line, () => viewOf(platform, line));
  const found =
    report && Array.from(report.numbers.subarray(0, report.count), (number) => core.idOf(number)).toSorted();
  const view = viewOf(platform, line);
  assert.deepEqual(found, view && oracle.match(view).matches.toSorted());
}

/** Throws where they differ. Answers how many lines the core read, and how many it left. */
export function agreeOn(
  platform: Platform,
  lines: readonly Buffer[],
  fields: ReadonlySet<string>,
  oracle: Scan,
): CoreEngine['lineCounts'] {
  const core = createCoreEngine({ platform });
  for (const line of lines) {
    const view = viewOf(platform, line);
    if (view === undefined) continue;
    for (const query of rulesOf(platform, view, fields)) {
      core.put(JSON.stringify(query), query);
      oracle.put(JSON.stringify(query), query);
    }
  }
  for (const line of lines) agree(platform, core, oracle, line);
  return core.lineCounts;
}

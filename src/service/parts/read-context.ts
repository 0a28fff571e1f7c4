/** The parts that work needs which only reads and computes: made by this one function in the main thread and in compute threads. */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Language, Parsed } from '../../rules/language.ts';
import type { Query } from '../../rules/query.ts';
import { queryOf } from '../../rules/rule-text.ts';
import type { ReadContext, ReadStore, Settings } from '../context.ts';
import { createCursors } from '../outlets/cursors.ts';
import { createReader } from '../reader/reader.ts';
import { createRelevance, type Relevance } from '../reader/relevance.ts';

export interface ReadParts {
  readonly store: ReadStore;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly shapes: Readonly<Record<Platform, LivePlatform['shape']>>;
  /** The installation's secret, which cursors are encrypted with. */
  readonly sealingKey: Uint8Array;
  readonly relevance?: Relevance | undefined;
  readonly checkpoint?: () => void;
}

export function createReadContext({ shapes, sealingKey, checkpoint = () => {}, ...parts }: ReadParts): ReadContext {
  const { store, clock, settings, relevance = createRelevance({ store, clock }) } = parts;
  const languages = withParseCaches(parts.languages);
  const platforms = Object.fromEntries(PLATFORMS.map((name) => [name, { shape: shapes[name] }]));
  const queryOfText: ReadContext['queryOf'] = (platform, { value, flags }) =>
    queryOf(languages[platform], { value, flags: shapes[platform] === 'upstream' ? {} : flags });
  return {
    store,
    clock,
    settings,
    languages,
    platforms: platforms as ReadContext['platforms'],
    cursors: createCursors(sealingKey),
    reader: createReader({ store, relevance, queryOf: queryOfText }),
    relevance,
    queryOf: queryOfText,
    checkpoint,
  };
}

/** Characters of all texts together; a parsed text takes about a hundred times its length in bytes. */
const CHARACTERS_KEPT = 128 * 1024;

interface Entry {
  readonly query: Query;
  /** It is undefined where the query alone was read. */
  readonly parsed: Parsed | undefined;
  readonly length: number;
}

/**
 * A language that remembers what it read lately. A text is checked, packed and put into an engine one after the other:
 * it is parsed once for all of them. So is the text of a rule whose matches are shown. Texts with errors go no further, so they are not kept.
 */
export function withParseCache(language: Language): Language {
  const entries = createLru<string, Entry>({ limit: CHARACTERS_KEPT, weightOf: ({ length }) => length + 1 });
  return {
    ...language,
    queryOf(text) {
      const kept = entries.get(text);
      if (kept !== undefined) return kept.query;
      const query = language.queryOf(text);
      if (query !== undefined) entries.set(text, { query, parsed: undefined, length: text.length });
      return query;
    },
    parse(text, mending) {
      const kept = entries.get(text)?.parsed;
      if (kept !== undefined) return kept;
      // With a budget of its own a text may get fewer fixes than the next reader is due.
      if (mending !== undefined) return language.parse(text, mending);
      const parsed = language.parse(text);
      if (parsed.query !== undefined) entries.set(text, { query: parsed.query, parsed, length: text.length });
      return parsed;
    },
  };
}

const withParseCaches = (languages: Readonly<Record<Platform, Language>>): Readonly<Record<Platform, Language>> => ({
  x: withParseCache(languages.x),
  firehose: withParseCache(languages.firehose),
});

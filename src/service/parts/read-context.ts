/** The parts that work needs which only reads and computes: made by this one function in the main thread and in compute threads. */
import type { Clock } from '../../base/clock.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { queryOf } from '../../rules/rule-text.ts';
import type { ReadContext, ReadStore, Settings } from '../context.ts';
import { withParseCaches } from '../ingest/parse-cache.ts';
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

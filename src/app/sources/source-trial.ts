/** Tries one source as the server would run it, but stores nothing: its events go to the caller. */
import { systemClock } from '../../base/clock.ts';
import type { Page } from '../../sources/contract/page.ts';
import { createSource, readShortForm, readSource, type SourceConfig } from '../../sources/kinds/kinds.ts';
import { openDocumentReader } from '../../sources/reading/document-reader.ts';
import { runSource } from '../../sources/run.ts';
import { loadLanguages } from '../../sources/text/language.ts';
import { type Config, ConfigError } from '../config.ts';
import { sourceHttp } from './sources.ts';

export interface SourceTrial {
  readonly source: SourceConfig;
  /** The trial ends after this many events, or this many milliseconds. */
  readonly events: number;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  onPage(page: Page): void;
  onTrouble(message: string): void;
}

/** A configured source by its name, or one in the short form, such as `feeds:https://example.org/feed.xml`. */
export function findSource({ sources }: Config, given: string): SourceConfig {
  const configured = sources.find(({ name }) => name === given);
  if (configured !== undefined) return configured;
  const [short] = readShortForm(given);
  const source = readSource(short ?? {});
  if (!('problems' in source)) return source;
  const [problem] = source.problems;
  const names = sources.map(({ name }) => name).join(', ');
  throw new ConfigError(
    problem?.path[0] === 'kind'
      ? `There is no source ${given}. ${names === '' ? 'None is configured' : `There are ${names}`}; a kind alone is tried with its defaults.`
      : `${given}: ${problem?.path.join('.')} ${problem?.message}.`,
  );
}

/** Reads a source in the short form: its kind, and the options that the text names. */
export function readShort(given: string): { kind: string; options: Record<string, unknown> } {
  const [{ kind, platform: _, ...options } = {}] = readShortForm(given);
  if (typeof kind !== 'string' || kind === 'http' || kind === 'https')
    throw new ConfigError(`${given}: write the kind before it, such as feeds:${given} or watch:${given}.`);
  return { kind, options };
}

/** How many events came. */
export async function trySource({
  source,
  events,
  milliseconds,
  signal,
  onPage,
  onTrouble,
}: SourceTrial): Promise<number> {
  await loadLanguages();
  const clock = systemClock;
  const ended = new AbortController();
  await using reader = openDocumentReader(clock);
  let seen = 0;
  const sink = {
    cursor: async () => undefined,
    noteGaps: async () => {},
    erase: async () => {},
    async add(pages: readonly Page[]) {
      for (const page of pages) {
        if (seen < events) onPage(page);
        seen = Math.min(seen + 1, events);
      }
      if (seen === events) ended.abort();
      return [];
    },
  };
  const running = runSource(createSource(source), sink, {
    clock,
    http: sourceHttp(clock, source),
    reader,
    signal: AbortSignal.any([signal, ended.signal]),
    onTrouble,
  });
  void clock.sleep(milliseconds, ended.signal).then(() => ended.abort());
  await running.done;
  ended.abort();
  return seen;
}

/** Tries a source as the server would run it, and stores nothing: its newest events, and how often they come. */
import type { Clock } from '../../base/clock.ts';
import { withShownSources } from '../../base/parse-url.ts';
import type { Page } from '../contract/page.ts';
import type { SourceContext } from '../contract/source.ts';
import type { SourceHttp } from '../fetch/fetch-url.ts';
import { createSource, readSource, type SourceConfig } from '../kinds/kinds.ts';
import type { DocumentReader } from '../reading/document-reader.ts';
import type { SourceDraft } from './services.ts';

export interface DiscoveryTools {
  readonly clock: Clock;
  /** It refuses private addresses. */
  readonly http: SourceHttp;
  readonly reader: DocumentReader;
  readonly signal: AbortSignal;
}

export interface SourceSample {
  /** The newest first. */
  readonly events: readonly Page[];
  /** It is undefined when too little is known. */
  readonly perDay: number | undefined;
  /** Why it could not be read. */
  readonly problem: string | undefined;
}

const SHOWN = 3;
const DAY_MS = 86_400_000;

/** One look needs no pauses between requests, and no papers of other days. */
const FOR_ONE_LOOK: Readonly<Record<string, number>> = { pause: 0, days: 1 };

export async function sampleOf(draft: SourceDraft, tools: DiscoveryTools): Promise<SourceSample> {
  const config = readSource({ kind: draft.kind, ...draft.options });
  if ('problems' in config) return { events: [], perDay: undefined, problem: config.problems[0]?.message };
  if (draft.isStream === true) return { events: [], perDay: undefined, problem: undefined };
  const { pages, problem } = await firstRound(config, tools);
  // Lists are read from their end on, so that what has no time is newest when it comes last.
  const newest = pages.toReversed().toSorted((one, other) => timeOf(other) - timeOf(one));
  return { events: newest.slice(0, SHOWN), perDay: perDay(newest, tools.clock.now()), problem };
}

async function firstRound(
  config: SourceConfig,
  tools: DiscoveryTools,
): Promise<{ pages: readonly Page[]; problem: string | undefined }> {
  const pages: Page[] = [];
  let problem: string | undefined;
  const trouble = (message: string) => {
    problem ??= withShownSources(message);
  };
  const context: SourceContext = { ...tools, trouble, live: () => {}, lost: () => {}, cursor: async () => undefined };
  const quick = Object.entries(FOR_ONE_LOOK).filter(([name]) => name in config.options);
  try {
    const source = createSource({ ...config, options: { ...config.options, ...Object.fromEntries(quick) } });
    for await (const arrival of source.read(context)) {
      pages.push(...arrival.pages);
      // The end of a round: all addresses were visited.
      if (arrival.failing !== undefined || arrival.reaches !== undefined) break;
    }
  } catch (error) {
    trouble(error instanceof Error ? error.message : String(error));
  }
  return { pages, problem };
}

const timeOf = ({ publish_time: time }: Page): number =>
  typeof time === 'string' ? Date.parse(`${time}Z`) : Number.NEGATIVE_INFINITY;

/** By the times of what is listed. A list that ended long ago has a low rate, although its entries stand close together. */
function perDay(newest: readonly Page[], now: Date): number | undefined {
  const times = newest.map(timeOf).filter(Number.isFinite);
  const [last, oldest] = [times[0], times.at(-1)];
  if (last === undefined || oldest === undefined) return undefined;
  const age = Math.max(now.getTime() - oldest, 1);
  const rate =
    times.length === 1
      ? 1 / Math.max(age, DAY_MS)
      : Math.min(times.length / age, (times.length - 1) / Math.max(last - oldest, 1));
  // Two digits: a list bears no more.
  return Number((rate * DAY_MS).toPrecision(2));
}

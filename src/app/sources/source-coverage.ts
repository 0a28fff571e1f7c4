/** Tells how the sources do: their states as reports, and the times without them as gaps. */
import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Context } from '../../service/context.ts';
import { earliest } from '../../service/coverage/assess.ts';
import { createSourceGaps } from '../../service/coverage/source-gaps.ts';
import type { Log } from '../../service/telemetry.ts';
import type { Source } from '../../sources/contract/source.ts';
import type { SourceConfig } from '../../sources/kinds/kinds.ts';
import type { SourceFigures, SourceStatus } from '../../sources/source-status.ts';

export type SourceSurroundings = Pick<Context, 'store' | 'ingest' | 'feeds'>;

/** Gaps that are read to find the one that an earlier run left open. */
const GAPS_READ = 1_000;

/** A source that is configured no more feeds nothing, and its gap is over: nothing is expected of it. */
export async function keepSources({ store }: SourceSurroundings, configs: readonly SourceConfig[]): Promise<void> {
  for (const platform of PLATFORMS)
    await keepNamed(
      store,
      platform,
      configs.filter(({ platforms }) => platforms.includes(platform)).map(({ name }) => name),
    );
}

async function keepNamed(
  store: SourceSurroundings['store'],
  platform: Platform,
  names: readonly string[],
): Promise<void> {
  const gaps = await store.gaps({ platform, isMissing: true, limit: GAPS_READ });
  const left = gaps.filter(({ to, source }) => to === undefined && source !== undefined && !names.includes(source));
  const feeds = await store.feeds(platform);
  const heard = new Map(feeds.map(({ name, at }) => [name, at]));
  await store.noteGaps(left.map((gap) => ({ ...gap, to: heard.get(gap.source!) ?? gap.from })));
  await store.keepSources(platform, names);
}

/** This node runs them no more. One that has ended by itself stays as it is. */
export async function endSources(
  { feeds }: SourceSurroundings,
  running: readonly { readonly status: SourceStatus }[],
): Promise<void> {
  for (const { status } of running) {
    const { name, state, through } = status;
    const last = state === 'ended' ? state : 'waiting';
    for (const platform of status.platforms)
      await feeds.end({ platform, kind: 'source', name, state: last, reason: undefined, through });
  }
}

interface WatchedSource {
  /** To be called with what the source says of itself, for all platforms that it feeds. */
  readonly onStatus: (figures: SourceFigures) => void;
  /** Up to when an earlier run was complete on all of them. */
  readonly through: Date | undefined;
}

export async function watchSource(
  context: SourceSurroundings,
  source: Source,
  platforms: readonly Platform[],
  options: { clock: Clock; log: Log },
): Promise<WatchedSource> {
  const watchers: WatchedSource[] = [];
  for (const platform of platforms) watchers.push(await watchOn(context, source, platform, options));
  return {
    onStatus(figures) {
      for (const watcher of watchers) watcher.onStatus(figures);
    },
    through: earliest(watchers.map(({ through }) => through)),
  };
}

/** It goes on from where an earlier run of the source ended. */
async function watchOn(
  context: SourceSurroundings,
  { name, replaysMs = 0 }: Source,
  platform: Platform,
  { clock, log }: { clock: Clock; log: Log },
): Promise<WatchedSource> {
  const { store, feeds } = context;
  const before = (await store.feeds(platform)).find((feed) => feed.kind === 'source' && feed.name === name);
  const left = await store.gaps({ platform, isMissing: true, limit: GAPS_READ });
  const gaps = createSourceGaps({
    platform,
    source: name,
    clock,
    replaysMs,
    through: before?.through,
    open: left.find(({ to, source }) => to === undefined && source === name),
  });
  const keep = createGapKeeper(context, log);
  const note = (figures: Pick<SourceFigures, 'state' | 'through' | 'hasLost' | 'lastError'>): Promise<void> => {
    const { state, through, lastError } = figures;
    const reason = state === 'live' ? undefined : lastError?.message;
    feeds.report({ platform, kind: 'source', name, state, reason, through });
    return keep(gaps.next(figures));
  };
  await note({ state: 'starting', through: before?.through, hasLost: false, lastError: undefined });
  await feeds.flush();
  return { onStatus: (figures) => void note(figures), through: before?.through };
}

/** Stores gaps one after another. What the store does not take is tried again with the next report. */
function createGapKeeper({ store }: SourceSurroundings, log: Log): (gap: Gap | undefined) => Promise<void> {
  const unsaved: Gap[] = [];
  let writing: Promise<void> = Promise.resolve();
  async function save(): Promise<void> {
    const gaps = unsaved.splice(0);
    if (gaps.length === 0) return;
    try {
      await store.noteGaps(gaps);
    } catch (error) {
      unsaved.unshift(...gaps);
      log.warn({ err: error }, 'a gap of a source could not be stored; trying again');
    }
  }
  return (gap) => {
    if (gap !== undefined) {
      log.warn({ ...gap }, gap.to === undefined ? 'a source is not well: a gap has begun' : 'a gap has ended');
      unsaved.push(gap);
    }
    if (unsaved.length > 0) writing = writing.then(save);
    return writing;
  };
}

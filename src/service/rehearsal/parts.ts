/** The events of the history that a rehearsal is asked for. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { HistoryError, type HistoryOptions, type HistoryPart } from '../../sources/history/history.ts';
import type { Store } from '../../store/store.ts';
import type { HistoryAccess, RehearsalRequest } from './request.ts';

export interface PartsDeps {
  readonly store: Pick<Store, 'recentEvents'>;
  readonly history: HistoryAccess;
  /** Of each platform. */
  readonly recentEvents: number;
}

export function partsOf(
  deps: PartsDeps,
  accountId: string,
  { texts, history }: RehearsalRequest,
  place: Pick<HistoryOptions, 'position' | 'signal'>,
): AsyncIterable<HistoryPart> {
  const platforms = PLATFORMS.filter((name) => texts[name] !== undefined);
  const options = { ...place, platforms };
  const { files, archive } = deps.history;
  if (history.kind === 'recent') return recentParts(deps, accountId, platforms);
  if (history.kind === 'file') {
    if (files === undefined) throw new HistoryError('This process has no folder of history: set SLUICE_HISTORY.');
    return files.read(history.file, options);
  }
  if (archive === undefined) throw new HistoryError('This process has no archive: set SLUICE_JETSTREAM_KEY.');
  return archive.read({ from: Date.parse(history.from), to: Date.parse(history.to) }, options);
}

/** The newest first. New events come meanwhile, so that it cannot be gone on with: there are not many. */
async function* recentParts(
  { store, recentEvents }: PartsDeps,
  accountId: string,
  platforms: readonly Platform[],
): AsyncIterable<HistoryPart> {
  for (const platform of platforms) {
    for await (const slice of store.recentEvents(accountId, platform, recentEvents)) {
      const events = slice.map(({ event: { payload, source }, at }) => ({
        platform,
        payload,
        source,
        at: at.getTime(),
      }));
      yield { events, unreadable: 0, position: undefined, progress: undefined };
    }
  }
}

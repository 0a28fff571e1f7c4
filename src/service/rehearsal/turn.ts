/**
 * A turn of a rehearsal: it goes on from its last checkpoint until it is done, or until another account is due. Position,
 * counts and samples are kept in one transaction, so that a process that is killed repeats work and counts nothing twice.
 */
import type { Clock } from '../../base/clock.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RehearsalStatus } from '../../domain/rehearsal.ts';
import type { Language } from '../../rules/language.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import { HistoryError, type HistoryOptions, type HistoryPart } from '../../sources/history/history.ts';
import { StoreError } from '../../store/error.ts';
import type { HeldLease } from '../../store/lease.ts';
import type { RehearsalStore, Store, StoredRehearsal } from '../../store/store.ts';
import type { Log, Metrics, RehearsalOutcome } from '../telemetry.ts';
import { createRehearser, type RehearsalState, type Rehearser } from './rehearser.ts';
import { type HistoryAccess, type RehearsalRequest, requestOf } from './request.ts';
import { createSlowLane } from './slow-lane.ts';

/** A checkpoint is made after this many events, or after this time. */
const KEEP_EVENTS = 20_000;
const KEEP_MS = 2_000;
/** An archive that fails this often in a row, without any progress, ends the rehearsal. */
const MOST_TRIES = 8;
const LONGEST_PAUSE_S = 300;

export interface TurnDeps extends PartsDeps {
  readonly store: PartsDeps['store'] & RehearsalStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'rehearsed' | 'rehearsal'>;
  readonly languages: Readonly<Record<Platform, Language>>;
}

/** What a checkpoint keeps beside the position. */
export interface KeptRehearsal {
  readonly tally: RehearsalState;
  /** Failures since the last progress. */
  readonly tries: number;
}

export const keptOf = (state: string): KeptRehearsal => {
  const kept: KeptRehearsal = JSON.parse(state);
  return kept;
};

interface Place {
  position: string | undefined;
  progress: number | undefined;
  tries: number;
}

export async function rehearseTurn(deps: TurnDeps, held: HeldLease, id: string, signal: AbortSignal): Promise<void> {
  const stored = await deps.store.openRehearsal(id);
  if (stored === undefined) return;
  const { rehearser, place } = resumed(deps, stored);
  const keep = (status: RehearsalStatus, error?: string, pauseMs = 0) =>
    keepPlace(deps, held, { id, rehearser, place, status, error, pauseMs });
  const end = async (outcome: RehearsalOutcome, error?: string, pauseMs?: number) => {
    if (await keep(outcome === 'retrying' ? 'running' : outcome, error, pauseMs)) deps.metrics.rehearsal(outcome);
  };
  try {
    const parts = partsOf(deps, stored.rehearsal.accountId, requestOf(stored.rehearsal.request), {
      position: place.position,
      signal,
    });
    if (await goThrough(deps, id, parts, rehearser, place, () => keep('running'), signal)) await end('done');
  } catch (error) {
    if (signal.aborted || error instanceof StoreError) throw error;
    if (error instanceof HistoryError) await end('failed', error.message);
    else if (error instanceof SourceError && ++place.tries < MOST_TRIES)
      await end('retrying', error.message, pauseAfter(error, place.tries));
    else {
      deps.log.error({ err: error, rehearsal: id }, 'a rehearsal failed');
      await end('failed', error instanceof SourceError ? error.message : 'The history cannot be read.');
    }
  }
}

/** From what was kept, or from the beginning. */
function resumed({ languages }: TurnDeps, { rehearsal, position, state, samples }: StoredRehearsal) {
  const { texts } = requestOf(rehearsal.request);
  const kept = state === undefined ? undefined : keptOf(state);
  const isUnderWay = kept !== undefined && position !== undefined;
  const rehearser = createRehearser({
    texts,
    languages,
    ...(isUnderWay && { kept: { state: kept.tally, samples } }),
  });
  const place: Place = { position, progress: rehearsal.progress, tries: kept?.tries ?? 0 };
  return { rehearser, place };
}

/** Whether it came to the end. */
async function goThrough(
  { store, clock, metrics }: TurnDeps,
  id: string,
  parts: AsyncIterable<HistoryPart>,
  rehearser: Rehearser,
  place: Place,
  keep: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const pause = createSlowLane(clock, signal);
  let kept = { events: rehearser.events, at: clock.elapsed() };
  for await (const { events, unreadable, position, progress } of parts) {
    for (const event of events) {
      const work = rehearser.take(event);
      const pausing = pause(typeof work === 'number' ? work : await work);
      if (pausing !== undefined) await pausing;
      if (signal.aborted) return false;
    }
    rehearser.passUnreadable(unreadable);
    metrics.rehearsed(events.length + unreadable);
    Object.assign(place, { position, progress, tries: 0 });
    if (rehearser.events - kept.events < KEEP_EVENTS && clock.elapsed() - kept.at < KEEP_MS) continue;
    if (!(await keep())) return false;
    kept = { events: rehearser.events, at: clock.elapsed() };
    // What can only begin anew goes on to its end.
    if (position !== undefined && (await store.firstRehearsal())?.id !== id) return false;
  }
  return !signal.aborted;
}

interface Checkpoint {
  readonly id: string;
  readonly rehearser: Rehearser;
  readonly place: Place;
  readonly status: RehearsalStatus;
  readonly error: string | undefined;
  readonly pauseMs: number;
}

/** False when it was cancelled. */
async function keepPlace(
  { store, clock }: TurnDeps,
  held: HeldLease,
  { id, rehearser, place, status, error, pauseMs }: Checkpoint,
): Promise<boolean> {
  await held.confirm();
  const now = clock.now();
  const kept: KeptRehearsal = { tally: rehearser.state(status !== 'running'), tries: place.tries };
  return store.keepRehearsal(held.lease, {
    id,
    status,
    endedAt: status === 'running' ? undefined : now,
    events: rehearser.events,
    progress: status === 'done' ? 1 : place.progress,
    error,
    position: place.position,
    state: JSON.stringify(kept),
    samples: rehearser.samples(),
    dueAt: new Date(now.getTime() + pauseMs),
  });
}

/** As the other side asks, else twice as long each time. */
const pauseAfter = ({ retryAfter }: SourceError, tries: number): number =>
  Math.min(LONGEST_PAUSE_S, retryAfter ?? 2 ** (tries - 1)) * 1_000;

/** The events of the history that a rehearsal is asked for. */
interface PartsDeps {
  readonly store: Pick<Store, 'recentEvents'>;
  readonly history: HistoryAccess;
  /** Of each platform. */
  readonly recentEvents: number;
}

function partsOf(
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

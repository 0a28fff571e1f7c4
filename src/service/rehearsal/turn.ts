/**
 * A turn of a rehearsal: it goes on from its last checkpoint until it is done, or until another account is due. Position,
 * counts and samples are kept in one transaction, so that a process that is killed repeats work and counts nothing twice.
 */
import type { Clock } from '../../base/clock.ts';
import { createSlowLane } from '../../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rehearsal, RehearsalStatus } from '../../domain/rule.ts';
import type { Language } from '../../rules/language.ts';
import type { Texts } from '../../rules/rule-text.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import { HistoryError, type HistoryOptions, type HistoryPart } from '../../sources/history/history.ts';
import { StoreError } from '../../store/error.ts';
import type { HeldLease } from '../../store/lease.ts';
import type { RehearsalStore, StoredRehearsal } from '../../store/store.ts';
import type { Compute } from '../compute.ts';
import { ServiceError } from '../errors.ts';
import type { Log, Metrics, RehearsalOutcome } from '../telemetry.ts';
import { type RecentWorld, rehearseRecent } from './recent.ts';
import { createRehearser, foundBy, type RehearsalState, type Rehearsed, type Rehearser } from './rehearser.ts';
import { type HistoryAccess, type HistoryChoice, requestOf } from './request.ts';

/** A checkpoint is made after this many events, or after this time. */
const KEEP_EVENTS = 20_000;
const KEEP_MS = 2_000;
/** An archive that fails this often in a row, without any progress, ends the rehearsal. */
const MOST_TRIES = 8;
const LONGEST_PAUSE_S = 300;
/** Words that are judged in a millisecond, about, and what an event costs beside its words. The thread has other work meanwhile. */
const WORDS_A_MS = 2_000;
const EVENT_WORDS = 50;

export interface TurnDeps {
  readonly store: RehearsalStore;
  readonly history: HistoryAccess;
  /** Goes through recent events, beside the thread that answers requests. */
  readonly background: Compute<RecentWorld>;
  /** A rehearsal has cost the account so many milliseconds of CPU. */
  readonly onCpu: (accountId: string, milliseconds: number, by?: 'main') => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'rehearsed' | 'rehearsal'>;
  readonly languages: Readonly<Record<Platform, Language>>;
}

/** A checkpoint keeps this beside the position. */
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
  /** Answers the result so far. */
  found: (isDone: boolean) => Rehearsed;
}

export async function rehearseTurn(deps: TurnDeps, held: HeldLease, id: string, signal: AbortSignal): Promise<void> {
  const stored = await deps.store.openRehearsal(id);
  if (stored === undefined) return;
  const place = placeOf(stored);
  const keep = (status: RehearsalStatus, error?: string, pauseMs = 0) =>
    keepPlace(deps, held, { id, place, status, error, pauseMs });
  const end = async (outcome: RehearsalOutcome, error?: string, pauseMs?: number) => {
    if (await keep(outcome === 'retrying' ? 'running' : outcome, error, pauseMs)) deps.metrics.rehearsal(outcome);
  };
  try {
    if (await rehearse(deps, stored, place, () => keep('running'), signal)) await end('done');
  } catch (error) {
    if (signal.aborted || error instanceof StoreError) throw error;
    if (error instanceof HistoryError) await end('failed', error.message);
    else if (isPassing(error) && ++place.tries < MOST_TRIES)
      await end('retrying', error.message, pauseAfter(error, place.tries));
    else {
      deps.log.error({ err: error, rehearsal: id }, 'a rehearsal failed');
      await end('failed', isToldWhy(error) ? error.message : 'The history cannot be read.');
    }
  }
}

const isToldWhy = (error: unknown): error is SourceError | ServiceError =>
  error instanceof SourceError || error instanceof ServiceError;

/** Whether it is worth another try: the other side is away, or the thread was lost. */
const isPassing = (error: unknown): error is SourceError | ServiceError =>
  isToldWhy(error) && (error instanceof SourceError || error.code === 'unavailable');

function placeOf({ rehearsal, position, state, samples }: StoredRehearsal): Place {
  const { tally = { unreadable: 0 }, tries = 0 } = state === undefined ? {} : keptOf(state);
  const { events, progress } = rehearsal;
  return { position, progress, tries, found: () => ({ events, tally, samples }) };
}

/** Goes on from what was kept, or from the beginning. Answers whether it came to the end. */
async function rehearse(
  deps: TurnDeps,
  { rehearsal: { id, accountId, request }, samples }: StoredRehearsal,
  place: Place,
  keep: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const { texts, history } = requestOf(request);
  const { languages, background, metrics, onCpu } = deps;
  const { position } = place;
  const kept = position === undefined ? undefined : { state: place.found(false).tally, samples };
  const rehearser = createRehearser({ texts, languages, kept });
  place.found = (isDone) => foundBy(rehearser, isDone);
  if (history.kind !== 'recent')
    return goThrough(
      deps,
      { id, accountId },
      partsOf(deps.history, texts, history, { position, signal }),
      rehearser,
      place,
      keep,
      signal,
    );
  const wish = { accountId, signal, isFurtherPart: true, onCpu: (spent: number) => onCpu(accountId, spent) };
  const found = await background.run(rehearseRecent, { accountId, texts }, wish);
  metrics.rehearsed(found.events);
  place.found = () => found;
  return true;
}

/** Whether it came to the end. */
async function goThrough(
  { store, clock, metrics, onCpu }: TurnDeps,
  { id, accountId }: Pick<Rehearsal, 'id' | 'accountId'>,
  parts: AsyncIterable<HistoryPart>,
  rehearser: Rehearser,
  place: Place,
  keep: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const pause = createSlowLane(clock, signal);
  let kept = { events: rehearser.events, at: clock.elapsed() };
  for await (const { events, unreadable, position, progress } of parts) {
    let words = EVENT_WORDS * (events.length + unreadable);
    for (const event of events) {
      const work = rehearser.take(event);
      const taken = typeof work === 'number' ? work : await work;
      words += taken;
      const pausing = pause(taken);
      if (pausing !== undefined) await pausing;
      if (signal.aborted) return false;
    }
    onCpu(accountId, words / WORDS_A_MS, 'main');
    rehearser.passUnreadable(unreadable);
    metrics.rehearsed(events.length + unreadable);
    Object.assign(place, { position, progress, tries: 0 });
    if (rehearser.events - kept.events < KEEP_EVENTS && clock.elapsed() - kept.at < KEEP_MS) continue;
    if (!(await keep())) return false;
    kept = { events: rehearser.events, at: clock.elapsed() };
    // A rehearsal that can only begin anew goes on to its end.
    if (position !== undefined && (await store.firstRehearsal())?.id !== id) return false;
  }
  return !signal.aborted;
}

interface Checkpoint {
  readonly id: string;
  readonly place: Place;
  readonly status: RehearsalStatus;
  readonly error: string | undefined;
  readonly pauseMs: number;
}

/** False when it was cancelled. */
async function keepPlace(
  { store, clock }: TurnDeps,
  held: HeldLease,
  { id, place, status, error, pauseMs }: Checkpoint,
): Promise<boolean> {
  await held.confirm();
  const now = clock.now();
  const { events, tally, samples } = place.found(status !== 'running');
  const kept: KeptRehearsal = { tally, tries: place.tries };
  return store.keepRehearsal(held.lease, {
    id,
    status,
    endedAt: status === 'running' ? undefined : now,
    events,
    progress: status === 'done' ? 1 : place.progress,
    error,
    position: place.position,
    state: JSON.stringify(kept),
    samples,
    dueAt: new Date(now.getTime() + pauseMs),
  });
}

/** As the other side asks, else twice as long each time. */
const pauseAfter = ({ retryAfter }: SourceError | ServiceError, tries: number): number =>
  Math.min(LONGEST_PAUSE_S, retryAfter ?? 2 ** (tries - 1)) * 1_000;

/** The events of the history that a rehearsal is asked for. */
function partsOf(
  { files, archive }: HistoryAccess,
  texts: Texts,
  history: Exclude<HistoryChoice, { kind: 'recent' }>,
  place: Pick<HistoryOptions, 'position' | 'signal'>,
): AsyncIterable<HistoryPart> {
  const platforms = PLATFORMS.filter((name) => texts[name] !== undefined);
  const options = { ...place, platforms };
  if (history.kind === 'file') {
    if (files === undefined) throw new HistoryError('This process has no folder of history: set SLUICE_HISTORY.');
    return files.read(history.file, options);
  }
  if (archive === undefined) throw new HistoryError('This process has no archive: set SLUICE_JETSTREAM_KEY.');
  return archive.read({ from: Date.parse(history.from), to: Date.parse(history.to) }, options);
}

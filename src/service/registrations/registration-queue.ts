/**
 * One upstream's registrations at work. Whatever is asked for waits at the queue until the turn before has ended, and is
 * then taken together: however many rules come and go meanwhile, a turn makes one addition and one deletion. Everything
 * is written down before the upstream is asked.
 */
import type { Clock } from '../../base/clock.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { type RuleText, textKey } from '../rule-text.ts';
import { assign, type HoldRequest } from './assign.ts';
import { audit } from './audit.ts';
import { createPins, type Pins } from './pins.ts';
import { createQueueState, figuresOf, meaningIn, noRoom, type QueueParts } from './queue-state.ts';
import type { Drift, Holding, RegistrationFigures } from './registrations.ts';
import { dueAt, isLeaving, retire, takeAway } from './removal.ts';

const AUDIT_EVERY = 300_000;
/** How often, at most, the store is read again for an id that we do not know. */
const REFRESH_EVERY = 5_000;
/** How often the store is read again while somebody waits for the first registration. */
const LOOK_EVERY = 1_000;
/** Milliseconds between tries of what an upstream could not do; the last one is repeated. */
const RETRY_AFTER: readonly number[] = [1_000, 5_000, 30_000, 60_000, 300_000];

export interface RegistrationQueue extends Pick<Pins, 'claim' | 'settle'> {
  /** The id under which the upstream holds the text, once it does. */
  hold(text: RuleText): Promise<string>;
  standsAlone(text: RuleText): boolean;
  /** The text's id at present: packs come and go. */
  idOf(text: RuleText): string | undefined;
  /** Takes the text away unless a rule needs it; resolves after the first try. */
  release(text: RuleText): Promise<void>;
  resolve(platformRuleId: string): Holding | 'late' | undefined;
  rulesHeld(): Promise<void>;
  reconcile(): Promise<Drift>;
  figures(): RegistrationFigures;
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Drop extends Waiting<void> {
  readonly text: RuleText;
}

/** Reads what is stored; `wanted` are the texts that rules want held. From then on it looks after them by itself. */
export async function openRegistrationQueue(parts: QueueParts, wanted: Iterable<RuleText>): Promise<RegistrationQueue> {
  const { clock, store, log, signal, platform } = parts;
  const state = createQueueState(parts);
  const { table } = state;
  let someHeld = Promise.withResolvers<void>();
  const claims = createPins();
  let wants: HoldRequest[] = [];
  let drops: Drop[] = [];
  let audits: Waiting<Drift>[] = [];
  /** New texts whose slots are still taken by what is on its way out. */
  const parked: HoldRequest[] = [];
  /** Somebody spoke of an id that another process may know. */
  let isPuzzled = false;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  let busy = false;
  const removal = { tries: 0, notBefore: 0 };
  let wakeAt = Number.POSITIVE_INFINITY;

  const isAnyHeld = () => table.rows().some(({ state: now }) => now === 'held');

  function noteHeld(): void {
    if (!isAnyHeld()) return;
    someHeld.resolve();
    someHeld = Promise.withResolvers();
  }

  async function work(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      while (!signal.aborted && hasWork()) await turn();
    } finally {
      busy = false;
    }
    if (signal.aborted) leave();
    else sleepUntilDue();
  }

  /** Whatever is written down is taken up again at the next start. */
  function leave(): void {
    const error = new PlatformError('unreachable', 'The service is stopping.');
    for (const { reject } of [...wants.splice(0), ...parked.splice(0), ...audits.splice(0)]) reject(error);
    for (const { resolve } of drops.splice(0)) resolve();
  }

  const hasWork = () => isPuzzled || wants.length + drops.length + audits.length > 0 || nextRemoval() <= time(clock);

  async function turn(): Promise<void> {
    const [taken, dropped, asked] = [wants, drops, audits];
    [wants, drops, audits] = [[], [], []];
    try {
      if (isPuzzled || isOutOfDate(taken, dropped)) await lookAgain();
      await letGo(dropped);
      if (asked.length > 0) await reconcileNow(asked);
      parked.push(...(await assign(state, taken)));
      await removeDue();
      noteHeld();
      for (const { resolve } of dropped) resolve();
    } catch (error) {
      // The store, or a defect: what was already answered stays answered.
      for (const { reject } of [...taken, ...dropped, ...asked]) reject(error);
      removal.notBefore = time(clock) + RETRY_AFTER[0]!;
    }
  }

  /** Another process on the same store may have taken away what we take for held, or have made what is to go. */
  const isOutOfDate = (taken: readonly HoldRequest[], dropped: readonly Drop[]): boolean =>
    store.isShared && (dropped.length > 0 || taken.some(({ text }) => table.holderOf(text) !== undefined));

  async function lookAgain(): Promise<void> {
    isPuzzled = false;
    refreshedAt = clock.elapsed();
    await table.refresh();
  }

  /** The first registration may be made by another process on the same store, and nobody tells us of it. */
  async function lookForHeld(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (!signal.aborted && !isAnyHeld()) {
      await clock.sleep(LOOK_EVERY, signal);
      isPuzzled = true;
      await work();
    }
    isLooking = false;
  }

  function rulesHeld(): Promise<void> {
    if (isAnyHeld()) return Promise.resolve();
    if (store.isShared) void lookForHeld();
    return someHeld.promise;
  }

  function meaningOf(platformRuleId: string): Holding | 'late' | undefined {
    const holding = meaningIn(state, platformRuleId);
    if (holding === undefined && clock.elapsed() - refreshedAt >= REFRESH_EVERY) {
      isPuzzled = true;
      void work();
    }
    return holding;
  }

  async function letGo(dropped: readonly Drop[]): Promise<void> {
    for (const { text } of dropped) {
      if (claims.has(text)) continue;
      if ((await store.countHolders(platform.name, text.value, text.flags)) > 0) continue;
      table.forget(text);
      state.parts.delete(textKey(text));
    }
    if (dropped.length > 0) await retire(state);
  }

  async function reconcileNow(asked: readonly Waiting<Drift>[]): Promise<void> {
    try {
      const drift = await audit(state);
      for (const { resolve } of asked) resolve(drift);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      for (const { reject } of asked) reject(error);
    }
  }

  async function removeDue(): Promise<void> {
    if (nextRemoval() > time(clock)) return turnAway(undefined);
    try {
      const freed = await takeAway(state);
      removal.tries = 0;
      if (freed) wants.push(...parked.splice(0));
      turnAway(undefined);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      log.warn({ platform: platform.name, err: error }, 'a registration could not be taken away; it is tried again');
      removal.notBefore = time(clock) + pauseAfter(error, removal.tries++);
      turnAway(error);
    }
  }

  /** Nobody waits for a slot that cannot come free. */
  function turnAway(error: PlatformError | undefined): void {
    if (parked.length === 0 || (error === undefined && table.rows().some(isLeaving))) return;
    for (const { reject } of parked.splice(0)) reject(error ?? noRoom(state));
  }

  function nextRemoval(): number {
    const due = table.rows().reduce((first, row) => Math.min(first, dueAt(state, row)), Number.POSITIVE_INFINITY);
    return Math.max(due, removal.notBefore);
  }

  function sleepUntilDue(): void {
    const next = nextRemoval();
    if (next >= wakeAt) return;
    wakeAt = next;
    void clock.sleep(next - time(clock), signal).then(() => {
      if (wakeAt === next) wakeAt = Number.POSITIVE_INFINITY;
      return signal.aborted ? undefined : work();
    });
  }

  async function auditRegularly(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      let pause = AUDIT_EVERY;
      try {
        await reconcile();
        failures = 0;
      } catch (error) {
        log.warn({ platform: platform.name, err: error }, 'registrations could not be compared; it is tried again');
        pause = pauseAfter(error, failures++);
      }
      await clock.sleep(pause, signal);
    }
  }

  function reconcile(): Promise<Drift> {
    const { promise, resolve, reject } = Promise.withResolvers<Drift>();
    audits.push({ resolve, reject });
    void work();
    return promise;
  }

  await table.load(wanted);
  await retire(state);
  void auditRegularly();
  return {
    claim: claims.claim,
    settle: claims.settle,
    hold(text) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      wants.push({ text, resolve, reject, tries: 0 });
      void work();
      return promise;
    },
    idOf: (text) => table.holderOf(text)?.platformRuleId,
    standsAlone: (text) => table.holderOf(text)?.texts.length === 1,
    release(text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      drops.push({ text, resolve, reject });
      void work();
      return promise;
    },
    resolve: meaningOf,
    rulesHeld,
    reconcile,
    figures: () => figuresOf(state),
  };
}

const time = (clock: Clock): number => clock.now().getTime();

function pauseAfter(error: unknown, failures: number): number {
  const asked = error instanceof PlatformError ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(asked, RETRY_AFTER[Math.min(failures, RETRY_AFTER.length - 1)]!);
}

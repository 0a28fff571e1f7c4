/**
 * The copies of rules that platforms hold. Rules with equal texts share one copy, which goes when the last of them
 * goes; on each platform these steps run in turn, so that a copy is never taken away while another rule comes to need it.
 */
import type { Clock } from '../base/clock.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { Rule } from '../domain/rule.ts';
import { type LivePlatform, PlatformError } from '../platforms/platform.ts';
import type { Store } from '../store/store.ts';
import type { Log } from './context.ts';
import { asServiceError } from './platform-errors.ts';
import type { RuleText } from './rule-text.ts';
import { createTurns } from './turns.ts';

/** Milliseconds between tries to take a copy away; the last one is repeated. */
const RETRY_AFTER: readonly number[] = [1_000, 5_000, 30_000, 60_000, 300_000];

export interface Registrations {
  /**
   * Makes every platform hold its text, or none, and answers the platforms' ids. When one fails, `undo` first takes
   * back the rule that needed them, then the copies go that were made, and the platform's error is thrown.
   */
  hold(texts: Partial<Record<Platform, RuleText>>, undo: () => Promise<unknown>): Promise<HeldIds>;
  /** Takes the copies away that no rule needs. Where a platform cannot be reached that is tried again until done. */
  release(texts: Partial<Record<Platform, RuleText>>, ids: HeldIds): Promise<void>;
  /** What a rule of the upstream stands for; `late` when nobody wants it any more, undefined when it is not known (yet). */
  resolve(platform: Platform, platformRuleId: string): Holding | 'late' | undefined;
  /** Resolves when the upstream holds at least one registration of ours. */
  rulesHeld(platform: Platform): Promise<void>;
  /** Compares what is held with what should be, and mends it. */
  reconcile(platform: Platform): Promise<Drift>;
  figures(platform: Platform): RegistrationFigures;
}

export type HeldIds = Partial<Record<Platform, string>>;

/** What an upstream's rule stands for among ours. */
export interface Holding {
  /** Texts that some rule still wants. */
  readonly texts: readonly RuleText[];
  /** The upstream's rule is an OR of several texts: its verdict says that one of them holds, and not which. */
  readonly packed: boolean;
}

/** What reconciliation found between what we want held and what is held. */
export interface Drift {
  /** Ours that the upstream had lost; they were added again. */
  readonly missing: number;
  /** Ours that nobody wants any more; they were taken away. */
  readonly extra: number;
  /** Somebody else's: they are never touched. */
  readonly foreign: number;
}

export interface RegistrationFigures {
  /** Registrations of ours. */
  readonly held: number;
  /** Those that stand for several texts. */
  readonly packs: number;
  /** Slots in use, by whomever. */
  readonly used: number;
  /** Slots that there are; undefined where there is no limit. */
  readonly limit: number | undefined;
}

/** The ids that platforms gave to a rule so far. */
export function idsOf(rule: Rule): HeldIds {
  const ids: HeldIds = {};
  for (const name of PLATFORMS) {
    const id = rule.platforms[name]?.platformRuleId;
    if (id !== undefined) ids[name] = id;
  }
  return ids;
}

interface Deps {
  readonly store: Store;
  readonly platforms: Readonly<Record<Platform, LivePlatform>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export function createRegistrations({ store, platforms, clock, log, signal }: Deps): Registrations {
  const turns = createTurns();

  async function hold(texts: Partial<Record<Platform, RuleText>>, undo: () => Promise<unknown>): Promise<HeldIds> {
    const held: HeldIds = {};
    for (const name of PLATFORMS) {
      const text = texts[name];
      if (text === undefined) continue;
      try {
        held[name] = await turns.inTurn(name, () => registerOne(platforms[name], text));
      } catch (error) {
        await undo();
        await release(texts, held);
        throw asServiceError(name, error);
      }
    }
    return held;
  }

  async function release(texts: Partial<Record<Platform, RuleText>>, ids: HeldIds): Promise<void> {
    for (const name of PLATFORMS) {
      const [text, id] = [texts[name], ids[name]];
      if (text === undefined || id === undefined) continue;
      if (!(await tryRelease(name, text, id))) void releaseLater(name, text, id);
    }
  }

  const tryRelease = (name: Platform, text: RuleText, id: string): Promise<boolean> =>
    turns.inTurn(name, async () => {
      try {
        if ((await store.countHolders(name, text.value, text.flags)) === 0) await platforms[name].unregister([id]);
        return true;
      } catch (error) {
        log.warn({ platform: name, err: error }, 'a registration could not be taken away; it is tried again');
        return error instanceof PlatformError && error.fault === 'refused';
      }
    });

  async function releaseLater(name: Platform, text: RuleText, id: string): Promise<void> {
    for (let tries = 0; !signal.aborted; tries++) {
      await clock.sleep(RETRY_AFTER[Math.min(tries, RETRY_AFTER.length - 1)]!, signal);
      if (signal.aborted || (await tryRelease(name, text, id))) return;
    }
  }

  return {
    hold,
    release,
    resolve: () => undefined,
    rulesHeld: async () => {},
    reconcile: async () => ({ missing: 0, extra: 0, foreign: 0 }),
    figures: () => ({ held: 0, packs: 0, used: 0, limit: undefined }),
  };
}

async function registerOne(platform: LivePlatform, { value, flags }: RuleText): Promise<string> {
  const [answer] = await platform.register([{ value, flags, tag: '' }]);
  if (answer === undefined) throw new PlatformError('unreachable', 'The platform did not answer for the rule.');
  if ('error' in answer) throw answer.error;
  return answer.id;
}

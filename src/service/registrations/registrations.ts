/**
 * The copies of rules that platforms hold. Rules with equal texts share one copy, which goes when the last of them goes.
 * A platform of our own needs none: its ids are made from what they stand for. An upstream has a queue, where everything
 * runs in turn, so that a copy is never taken away while another rule comes to need it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import type { Store } from '../../store/store.ts';
import { type RuleText, type Texts, textKey } from '../rule-text.ts';
import type { Log } from '../telemetry.ts';
import { asServiceError } from './platform-errors.ts';
import { openRegistrationQueue, type RegistrationQueue } from './registration-queue.ts';

export interface Registrations {
  /** At the start, for every rule there is: what upstreams should hold of it. */
  expect(rule: Rule): void;
  /** After the last rule: upstreams are looked after from now on. */
  open(): Promise<void>;
  /** Resolves when every platform of these texts is open. A rule that is stored before may be taken for a broken one. */
  ready(texts: Texts): Promise<void>;
  /**
   * Makes every platform hold its text, or none; `keep` then stores the platforms' ids. When anything fails, `undo`
   * takes back the rule that needed them, the copies go that were made, and the error is thrown.
   */
  hold(texts: Texts, keep: (ids: HeldIds) => Promise<unknown>, undo: () => Promise<unknown>): Promise<HeldIds>;
  /** Takes the copies away that no rule needs. Where a platform cannot be reached that is tried again until done. */
  release(texts: Texts): Promise<void>;
  /** What a rule of the upstream stands for; `late` when nobody wants it any more, undefined when it is not known (yet). */
  resolve(platform: Platform, platformRuleId: string): Holding | 'late' | undefined;
  /** Whether the upstream holds the text as a rule of its own, so that it speaks of this text alone. */
  standsAlone(platform: Platform, text: RuleText): boolean;
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

const NO_DRIFT: Drift = { missing: 0, extra: 0, foreign: 0 };
const NO_FIGURES: RegistrationFigures = { held: 0, packs: 0, used: 0, limit: undefined };

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
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export function createRegistrations(deps: Deps): Registrations {
  const { store, platforms, languages, log } = deps;
  const upstreams = PLATFORMS.filter((name) => platforms[name].shape === 'upstream');
  const expected = new Map(upstreams.map((name) => [name, new Map<string, RuleText>()]));
  const opened = Promise.withResolvers<void>();
  const queues: Partial<Record<Platform, RegistrationQueue>> = {};

  async function queueOf(name: Platform): Promise<RegistrationQueue | undefined> {
    if (platforms[name].shape === 'local') return undefined;
    await opened.promise;
    return queues[name];
  }

  async function open(): Promise<void> {
    if (upstreams.length > 0) {
      const prefix = `sluice-${await store.instance(randomBytes(6).toString('hex'))}-`;
      for (const name of upstreams) {
        const parts = { ...deps, platform: platforms[name], language: languages[name], prefix };
        queues[name] = await openRegistrationQueue(parts, expected.get(name)?.values() ?? []);
      }
      expected.clear();
    }
    opened.resolve();
  }

  async function holdOn(name: Platform, text: RuleText): Promise<string> {
    try {
      const queue = await queueOf(name);
      return await (queue === undefined ? registerLocally(platforms[name], text) : queue.hold(text));
    } catch (error) {
      throw asServiceError(name, error);
    }
  }

  async function hold(texts: Texts, keep: (ids: HeldIds) => Promise<unknown>, undo: () => Promise<unknown>) {
    const ids: HeldIds = {};
    const listed = await claim(texts);
    try {
      for (const { name, text } of listed) ids[name] = await holdOn(name, text);
      await keep(ids);
    } catch (error) {
      for (const { queue, text } of listed) queue?.settle(text);
      // Where even this fails, the next start undoes it.
      await undo().catch((cause: unknown) => log.error({ err: cause }, 'a rule could not be undone'));
      await release(texts);
      throw error;
    }
    for (const { name, queue, text } of listed) {
      queue?.settle(text);
      await noteMove(name, queue, text, ids[name]);
    }
    return ids;
  }

  /** A text that is claimed stays where it is, although no stored rule may need it yet. */
  async function claim(texts: Texts) {
    const listed: { name: Platform; text: RuleText; queue: RegistrationQueue | undefined }[] = [];
    for (const name of PLATFORMS) {
      const text = texts[name];
      if (text !== undefined) listed.push({ name, text, queue: await queueOf(name) });
    }
    for (const { queue, text } of listed) queue?.claim(text);
    return listed;
  }

  /** The text may have moved to another registration before its rule was there to be told. */
  async function noteMove(
    platform: Platform,
    queue: RegistrationQueue | undefined,
    text: RuleText,
    id: string | undefined,
  ) {
    const now = queue?.idOf(text);
    if (now === undefined || now === id) return;
    const { value, flags } = text;
    await store.changeRegistrations({ holders: [{ platform, value, flags, status: 'active', platformRuleId: now }] });
  }

  async function release(texts: Texts): Promise<void> {
    for (const name of PLATFORMS) {
      const text = texts[name];
      if (text !== undefined) await (await queueOf(name))?.release(text);
    }
  }

  return {
    expect(rule) {
      if (rule.paused) return;
      for (const name of upstreams) {
        const text = rule.platforms[name];
        if (text !== undefined) expected.get(name)?.set(textKey(text), { value: text.value, flags: text.flags });
      }
    },
    open,
    async ready(texts) {
      for (const name of PLATFORMS) if (texts[name] !== undefined) await queueOf(name);
    },
    hold,
    release,
    resolve: (name, platformRuleId) => queues[name]?.resolve(platformRuleId),
    standsAlone: (name, text) => queues[name]?.standsAlone(text) ?? false,
    rulesHeld: async (name) => (await queueOf(name))?.rulesHeld(),
    reconcile: async (name) => (await queueOf(name))?.reconcile() ?? NO_DRIFT,
    figures: (name) => queues[name]?.figures() ?? NO_FIGURES,
  };
}

/** There is nobody to call, and nothing to be remembered. */
async function registerLocally(platform: LivePlatform, { value, flags }: RuleText): Promise<string> {
  const [answer] = await platform.register([{ value, flags, tag: '' }]);
  if (answer === undefined) throw new PlatformError('unreachable', 'The platform did not answer for the rule.');
  if ('error' in answer) throw answer.error;
  return answer.id;
}

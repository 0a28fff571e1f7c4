/**
 * The copies of rules that platforms hold. Rules with equal texts share one copy, which goes when the last of them goes.
 * A local platform needs none: it makes ids from the texts. An upstream has a queue, where everything runs in turn, so
 * that a copy is never removed while another rule comes to need it.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { type RuleText, type Texts, textKey } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import type { Drift, Holding, RegistrationFigures } from './holding.ts';
import { type PinnedText, type PinnedTexts, pinTexts } from './pinned-texts.ts';
import { openRegistrationQueue, type RegistrationQueue } from './registration-queue.ts';

export interface Registrations {
  /** At the start, for every stored rule: upstreams should hold its texts. */
  want(rule: Rule): void;
  /** After the last stored rule. Upstreams are looked after from now on. */
  open(): Promise<void>;
  /**
   * Waits until the platforms of these texts are open, then keeps the texts from being removed until it is disposed. A
   * rule that is stored earlier may be taken for one that a crash left.
   */
  pin(texts: Texts): Promise<PinnedTexts>;
  /** Removes the copies that no rule needs. Where a platform cannot be reached this is tried again until done. */
  release(texts: Texts): Promise<void>;
  /**
   * The meaning of a rule of the upstream; `late` when no rule wants it any more, undefined when it is not known (yet).
   */
  resolve(platform: Platform, platformRuleId: string): Holding | 'late' | undefined;
  /** Whether the upstream holds the text as a rule of its own, so that its verdict is about this text alone. */
  standsAlone(platform: Platform, text: RuleText): boolean;
  /** Whether the upstream held the text when something came that it did not name the text for. */
  heldAt(platform: Platform, text: RuleText, at: Date): 'held' | 'missing' | 'unknown' | 'unwanted';
  /** Resolves when the upstream holds at least one registration of ours. */
  rulesHeld(platform: Platform): Promise<void>;
  /** Compares what is held with what should be, and mends it. */
  reconcile(platform: Platform): Promise<Drift>;
  figures(platform: Platform): RegistrationFigures;
}

interface RegistrationsDeps {
  readonly store: Store;
  readonly platforms: Readonly<Record<Platform, LivePlatform>>;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told of gaps of rules, once they are on record. */
  readonly onGap?: (gap: Gap) => void;
}

const NO_DRIFT: Drift = { missing: 0, extra: 0, foreign: 0 };
const NO_FIGURES: RegistrationFigures = { held: 0, packs: 0, used: 0, limit: undefined };

export function createRegistrations(deps: RegistrationsDeps): Registrations {
  const queues = createQueues(deps);

  async function pinnedTextsOf(texts: Texts): Promise<PinnedText[]> {
    const places: PinnedText[] = [];
    for (const name of PLATFORMS) {
      const text = texts[name];
      if (text !== undefined) places.push({ platform: deps.platforms[name], text, queue: await queues.of(name) });
    }
    return places;
  }

  return {
    want: queues.want,
    open: queues.open,
    pin: async (texts) => pinTexts(deps, await pinnedTextsOf(texts)),
    async release(texts) {
      for (const { queue, text } of await pinnedTextsOf(texts)) await queue?.release(text);
    },
    resolve: (name, platformRuleId) => queues.get(name)?.resolve(platformRuleId),
    standsAlone: (name, text) => queues.get(name)?.standsAlone(text) ?? false,
    heldAt: (name, text, at) => queues.get(name)?.heldAt(text, at) ?? 'unwanted',
    rulesHeld: async (name) => (await queues.of(name))?.rulesHeld(),
    reconcile: async (name) => (await queues.of(name))?.reconcile() ?? NO_DRIFT,
    figures: (name) => queues.get(name)?.figures() ?? NO_FIGURES,
  };
}

/** The queues of all upstreams. They open together, once every stored rule is known. */
interface Queues {
  /** At the start, for every stored rule: upstreams should hold its texts. */
  want(rule: Rule): void;
  open(): Promise<void>;
  /** Waits until the queues are open. Returns undefined for a local platform, which has none. */
  of(name: Platform): Promise<RegistrationQueue | undefined>;
  /** Returns undefined for a local platform, and before the queues are open. */
  get(name: Platform): RegistrationQueue | undefined;
}

export function createQueues(deps: RegistrationsDeps): Queues {
  const { store, platforms, languages, onGap = () => {} } = deps;
  const upstreams = PLATFORMS.filter((name) => platforms[name].shape === 'upstream');
  const wanted = new Map(upstreams.map((name) => [name, new Map<string, RuleText>()]));
  const queues: Partial<Record<Platform, RegistrationQueue>> = {};
  const { promise: opened, resolve: finishOpening } = Promise.withResolvers<void>();

  return {
    want(rule) {
      if (rule.paused) return;
      for (const [name, texts] of wanted) {
        const text = rule.platforms[name];
        if (text !== undefined) texts.set(textKey(text), { value: text.value, flags: text.flags });
      }
    },
    async open() {
      const instance = upstreams.length > 0 ? await store.instance(randomBytes(6).toString('hex')) : '';
      for (const [name, texts] of wanted) {
        const parts = {
          ...deps,
          platform: platforms[name],
          language: languages[name],
          prefix: `sluice-${instance}-`,
          onGap,
        };
        queues[name] ??= await openRegistrationQueue(parts, texts.values());
      }
      wanted.clear();
      finishOpening();
    },
    async of(name) {
      if (platforms[name].shape === 'upstream') await opened;
      return queues[name];
    },
    get: (name) => queues[name],
  };
}

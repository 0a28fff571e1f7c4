/**
 * The copies of rules that platforms hold. Rules with equal texts share one copy, which goes when the last of them goes.
 * A local platform needs none: it makes ids from the texts. An upstream has a queue, where everything runs in turn, so
 * that a copy is never removed while another rule comes to need it.
 */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { RuleText, Texts } from '../../rules/rule-text.ts';
import type { Drift, Holding, RegistrationFigures } from './holding.ts';
import { type PinnedText, type PinnedTexts, pinTexts } from './pinned-texts.ts';
import { createQueues, type QueuesDeps } from './queues.ts';

export interface Registrations {
  /** At the start, for every stored rule: upstreams should hold its texts. */
  expect(rule: Rule): void;
  /** After the last stored rule. Upstreams are looked after from now on. */
  open(): Promise<void>;
  /**
   * Waits until the platforms of these texts are open, then keeps the texts from being removed until it is disposed. A
   * rule that is stored earlier may be taken for one that a crash left.
   */
  pin(texts: Texts): Promise<PinnedTexts>;
  /** Removes the copies that no rule needs. Where a platform cannot be reached this is tried again until done. */
  release(texts: Texts): Promise<void>;
  /** What a rule of the upstream stands for; `late` when no rule wants it any more, undefined when it is not known (yet). */
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

const NO_DRIFT: Drift = { missing: 0, extra: 0, foreign: 0 };
const NO_FIGURES: RegistrationFigures = { held: 0, packs: 0, used: 0, limit: undefined };

export function createRegistrations(deps: QueuesDeps): Registrations {
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
    expect: queues.expect,
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

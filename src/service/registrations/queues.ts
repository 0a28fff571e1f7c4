/** The registration queues of all upstreams. They open together, once every stored rule is known. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../../domain/gap.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { openRegistrationQueue, type RegistrationQueue } from './registration-queue.ts';

export interface QueuesDeps {
  readonly store: Store;
  readonly platforms: Readonly<Record<Platform, LivePlatform>>;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told of gaps of rules, once they are on record. */
  readonly onGap?: (gap: Gap) => void;
}

export interface Queues {
  /** At the start, for every stored rule: upstreams should hold its texts. */
  expect(rule: Rule): void;
  open(): Promise<void>;
  /** Waits until the queues are open. Undefined for a local platform, which has none. */
  of(name: Platform): Promise<RegistrationQueue | undefined>;
  /** Undefined for a local platform, and before the queues are open. */
  get(name: Platform): RegistrationQueue | undefined;
}

export function createQueues(deps: QueuesDeps): Queues {
  const { store, platforms, languages, onGap = () => {} } = deps;
  const upstreams = PLATFORMS.filter((name) => platforms[name].shape === 'upstream');
  const expected = new Map(upstreams.map((name) => [name, new Map<string, RuleText>()]));
  const queues: Partial<Record<Platform, RegistrationQueue>> = {};
  const { promise: opened, resolve: finishOpening } = Promise.withResolvers<void>();

  return {
    expect(rule) {
      if (rule.paused) return;
      for (const [name, texts] of expected) {
        const text = rule.platforms[name];
        if (text !== undefined) texts.set(textKey(text), { value: text.value, flags: text.flags });
      }
    },
    async open() {
      const instance = upstreams.length > 0 ? await store.instance(randomBytes(6).toString('hex')) : '';
      for (const [name, texts] of expected) {
        const parts = {
          ...deps,
          platform: platforms[name],
          language: languages[name],
          prefix: `sluice-${instance}-`,
          onGap,
        };
        queues[name] ??= await openRegistrationQueue(parts, texts.values());
      }
      expected.clear();
      finishOpening();
    },
    async of(name) {
      if (platforms[name].shape === 'upstream') await opened;
      return queues[name];
    },
    get: (name) => queues[name],
  };
}

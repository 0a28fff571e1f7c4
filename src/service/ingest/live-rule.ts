/** A rule as it is matched, and which stored rules are. */
import { PLATFORMS } from '../../domain/platform.ts';
import type { Rule, RuleStatus } from '../../domain/rule.ts';
import type { Texts } from '../../rules/rule-text.ts';

/** A rule as it is matched; a platform without a text is not matched. */
export interface LiveRule {
  readonly id: string;
  readonly accountId: string;
  readonly version: number;
  readonly texts: Texts;
}

/** A rule that is no longer stored. */
export interface GoneRule {
  readonly gone: string;
}

/** A stored rule as it is matched: not while it is paused, and not where no platform has answered for it yet. */
export function liveRuleOf({ id, accountId, version, paused, platforms }: Rule): LiveRule {
  const texts: Texts = {};
  for (const name of PLATFORMS) {
    const held = platforms[name];
    if (!paused && held !== undefined && MATCHED.includes(held.status)) texts[name] = held;
  }
  return { id, accountId, version, texts };
}

/**
 * A rule that an upstream lost or refuses is still wanted: it is matched as soon as its events arrive again. No change of the
 * rule says when that is, so a node that left it out would never take it in again.
 */
export const MATCHED: readonly RuleStatus[] = ['active', 'missing', 'failed'];

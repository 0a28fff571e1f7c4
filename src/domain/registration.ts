import type { Platform } from './platform.ts';
import type { RuleFlags } from './rule.ts';

/**
 * The copy of one or several rule texts that an upstream holds. It is stored before the request to the upstream, so that a
 * lost answer leaves neither a duplicate nor an orphan.
 */
export interface Registration {
  /** Identifies it among all registrations at the upstream. */
  readonly tag: string;
  readonly platform: Platform;
  /** The text that the upstream gets. */
  readonly value: string;
  readonly flags: RuleFlags;
  /** The texts of its rules, all with these flags: one text, or the parts of a pack. */
  readonly texts: readonly string[];
  /** The upstream's id, once it is known. */
  readonly platformRuleId: string | undefined;
  readonly state: RegistrationState;
  /** Since when it is in this state. */
  readonly since: Date;
}

/**
 * wanted (requested, and not known to be held) → held → leaving (to be removed) → gone. A gone registration is kept for a
 * while, because the upstream may still deliver events for it.
 */
export type RegistrationState = 'wanted' | 'held' | 'leaving' | 'gone';

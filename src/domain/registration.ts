import type { Platform } from './platform.ts';
import type { RuleFlags } from './rule.ts';

/**
 * The copy of one or several rule texts that an upstream holds. It is written down before the upstream is asked, so that
 * a lost answer leaves neither a double nor an orphan.
 */
export interface Registration {
  /** How we know it again among all that the upstream holds. */
  readonly tag: string;
  readonly platform: Platform;
  /** What the upstream is given. */
  readonly value: string;
  readonly flags: RuleFlags;
  /** The values of the rules it stands for, all with these flags: one, or the parts of a pack. */
  readonly texts: readonly string[];
  /** The upstream's own id, once it is known. */
  readonly platformRuleId: string | undefined;
  readonly state: RegistrationState;
  /** When the state began. */
  readonly since: Date;
}

/**
 * wanted (asked for, and not known to be held) → held → leaving (to be taken away) → gone, which is remembered for a
 * while, because the upstream may still speak of it.
 */
export type RegistrationState = 'wanted' | 'held' | 'leaving' | 'gone';

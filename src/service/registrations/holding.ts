/**
 * The types by which registrations speak to other parts of the service. Types only, so that every file here may import
 * them.
 */
import type { Platform } from '../../domain/platform.ts';
import type { RuleText } from '../../rules/rule-text.ts';

export type HeldIds = Partial<Record<Platform, string>>;

/** The meaning of an upstream's rule among ours. */
export interface Holding {
  /** Texts that some rule still wants. */
  readonly texts: readonly RuleText[];
  /** The upstream's rule is an OR of several texts: its verdict says that one of them holds, and not which. */
  readonly packed: boolean;
}

/** How what an upstream held differed from what we want it to hold. */
export interface Drift {
  /** Registrations of ours that the upstream had lost. They were added again. */
  readonly missing: number;
  /** Registrations of ours that no rule wants any more. They were removed. */
  readonly extra: number;
  /** Registrations of other programs. They are never touched. */
  readonly foreign: number;
}

export interface RegistrationFigures {
  /** Registrations of ours. */
  readonly held: number;
  /** Registrations that stand for several texts. */
  readonly packs: number;
  /** Slots in use, those of other programs included. */
  readonly used: number;
  /** The upstream's limit; undefined where it has none. */
  readonly limit: number | undefined;
}

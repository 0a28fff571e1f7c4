/** The state of the X side: its rules, the posts that it can replay, its connections. */
import type { Payload } from '../../src/domain/match.ts';
import type { Language, XLevel } from '../../src/rules/language.ts';
import type { Context } from '../context.ts';
import type { HeldRule, RuleBook } from '../rule-book.ts';
import type { Connections } from './connections.ts';

/** A post that matched at least one rule when it came. */
export interface KeptPost {
  readonly at: number;
  readonly id: string;
  /** With the older names. */
  readonly payload: Payload;
  readonly matchingRules: readonly MatchingRule[];
}

export interface MatchingRule {
  readonly id: string;
  readonly tag?: string;
  readonly embedding_similarity?: number;
  readonly embedding_threshold?: number;
}

export interface XState {
  readonly context: Context;
  readonly level: XLevel;
  readonly cap: number;
  readonly language: Language;
  readonly book: RuleBook;
  /** Deleted rules that still match for a while: X26. */
  readonly ghosts: RuleBook;
  readonly connections: Connections;
  /** Oldest first. */
  readonly posts: KeptPost[];
  nextId(): string;
  /** Until this time everything is answered 503: X15, X16. */
  outageUntil: number;
  /** Nothing before this time may be replayed: X16. */
  replayFrom: number;
  /** Called when a connection is refused because of a phantom: X8. */
  onPhantom: () => void;
  /** Called when a deleted rule matches: X26. */
  onGhost: () => void;
}

export const isEnterprise = ({ level }: XState): boolean => level !== 'payg';

/** Adds a rule; undefined if the language does not accept it. */
export function holdRule(state: XState, value: string, tag: string | undefined): HeldRule | undefined {
  const { query } = state.language.parse(value);
  if (query === undefined) return undefined;
  const rule: HeldRule = { id: state.nextId(), value, tag };
  state.book.put(rule, query);
  return rule;
}

export const shownRule = ({ id, value, tag }: HeldRule): object => ({ id, value, ...(tag !== undefined && { tag }) });

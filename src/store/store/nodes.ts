/** Several nodes on one store. Not scoped by account. */
import type { Position } from './position.ts';

export interface NodeStore {
  /** Whether several processes may serve from it at a time. */
  readonly isShared: boolean;
  /**
   * Hears that something was written, on any node, with the accounts whose matches were added; an empty list means that
   * the accounts are not known. A ring may be lost: a caller that must miss nothing asks for `news` too. Answers how to stop.
   */
  bell(hear: (accountIds: readonly string[]) => void): Promise<() => Promise<void>>;
  news(): Promise<News>;
  /** What changed of rules after a change, oldest first: nothing that is still to come is ever before what was read. */
  ruleChanges(after: number, limit: number): Promise<RuleChanged[]>;
  /** Puts a mark into that log in the place of a rule's id, and answers its number. */
  markRuleChanges(mark: string): Promise<number>;
  /** A node says that it is there for some milliseconds, and up to which change it knows the rules. */
  reportNode(node: NodeReport, now: Date, milliseconds: number): Promise<void>;
  /** It is no longer there. */
  removeNode(id: string): Promise<void>;
  /** Those that are there. */
  nodes(now: Date): Promise<NodeReport[]>;
}

/** What was written last, of all accounts. */
export interface News {
  readonly latest: Position;
  readonly ruleChange: number;
}

/** A rule became active or failed, was changed, or deleted. */
export interface RuleChanged {
  readonly number: number;
  readonly accountId: string;
  readonly ruleId: string;
}

export interface NodeReport {
  readonly id: string;
  readonly roles: readonly string[];
  readonly applied: number;
}

/**
 * The things that clients did and were told, each with the step at which it happened: the oracle holds the store
 * against them. Two things are ordered when one had ended before the other began; otherwise either order is right.
 */
import type { Platform } from '../../src/domain/platform.ts';

export interface RuleRecord {
  readonly name: string;
  readonly account: string;
  readonly word: string;
  readonly createBegan: number;
  /** When a create was acknowledged, and with which id. */
  created?: { readonly at: number; readonly id: string };
  deleteBegan?: number;
  deletedAt?: number;
}

export interface EventRecord {
  readonly platform: Platform;
  readonly postId: string;
  readonly words: readonly string[];
  readonly began: number;
  /** The attempt that was acknowledged, or was the last. */
  attemptBegan: number;
  /** Nothing of it is under way any more. */
  endedAt?: number;
  isAcknowledged: boolean;
}

export interface Ledger {
  readonly rules: RuleRecord[];
  readonly events: Map<string, EventRecord>;
  readonly violations: string[];
}

export const newLedger = (): Ledger => ({ rules: [], events: new Map(), violations: [] });

export const eventKey = (platform: Platform, postId: string): string => `${platform} ${/\d+$/.exec(postId)?.[0]}`;

/** Whether the rule has a match of the event: it must, it must not, or both are right. */
export function expectation(rule: RuleRecord, event: EventRecord): 'must' | 'may' | 'never' {
  const { created, createBegan, deleteBegan, deletedAt } = rule;
  if (!event.words.includes(rule.word)) return 'never';
  if (deletedAt !== undefined && deletedAt < event.began) return 'never';
  if (event.platform === 'firehose' && event.endedAt !== undefined && event.endedAt < createBegan) return 'never';
  const isHeldThroughout = created !== undefined && created.at < event.attemptBegan && deleteBegan === undefined;
  return event.isAcknowledged && isHeldThroughout ? 'must' : 'may';
}

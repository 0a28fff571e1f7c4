/** A peer is a program that a user could install instead, given the same rules and events in its own best form. */
import type { Platform } from '../../src/domain/platform.ts';
import type { Query } from '../../src/rules/query.ts';

/** A text that a field of an event holds, or that a rule needs there. */
export interface FieldText {
  readonly field: string;
  readonly text: string;
}

export interface PeerRule {
  readonly number: number;
  readonly query: Query;
  /** Every match holds one of these; the rarest that can be had. Empty where the rule needs nothing. */
  readonly keys: readonly FieldText[];
}

export interface PeerTask {
  readonly platform: Platform;
  readonly rules: readonly PeerRule[];
  /** The fields that some rule names, as texts: a peer parses no JSON. */
  readonly events: readonly (readonly FieldText[])[];
  /** The matches of at most this many events are told. */
  readonly compared: number;
  /** CPU time of a turn, and of the events that are compared. */
  readonly budgetMilliseconds: number;
  readonly turns: number;
}

export interface PeerTurn {
  readonly events: number;
  readonly micros: number;
  readonly matches: number;
}

export interface PeerReport {
  readonly loadSeconds: number;
  /** The size of the rules in memory, or in the database. */
  readonly bytes: number;
  readonly turns: readonly PeerTurn[];
  /** For each event that is compared, the numbers of its rules. */
  readonly found: readonly ReadonlySet<number>[];
  /** The rules that it has whole. */
  readonly whole: ReadonlySet<number>;
}

export interface Peer {
  readonly name: string;
  /** Tells how to get it; undefined where it is there. */
  readonly missing: () => string | undefined;
  /** Resolves to undefined where it can express none of the rules. */
  readonly run: (task: PeerTask) => Promise<PeerReport | undefined>;
}

/** The fields of each platform that peers cut into words; all others hold a value as it is. The first is that of plain words. */
export const TEXT_FIELDS: Readonly<Record<Platform, readonly string[]>> = {
  x: ['text', 'url'],
  firehose: ['added', 'title'],
};

import type { Platform } from './platform.ts';

/** An event satisfied a rule. One (rule, platform, post) is one match, however often the event arrives. */
export interface Match {
  readonly id: string;
  readonly createdAt: Date;
  /** Its place in the order of matches; grows with every match that is stored. */
  readonly position: number;
  readonly platform: Platform;
  readonly platformPostId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly ruleVersion: number;
  readonly payload: Payload;
  /** The payload as JSON, where the store has it at hand: an answer can be written without reading it first. */
  readonly json?: string;
  readonly highlights: readonly Highlight[];
  /** The id of the same rule's match of an earlier version of the post. */
  readonly editOf?: string | undefined;
}

/** The upstream's own object, untouched. */
export type Payload = Readonly<Record<string, unknown>>;

/** A span that shows why a rule matched: a path into the payload and UTF-16 offsets into the string found there. */
export interface Highlight {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

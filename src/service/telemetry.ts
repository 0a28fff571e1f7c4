/** The log and the metrics: every part of the service reports to them. */
import type { Platform } from '../domain/platform.ts';
import type { Alert } from '../domain/rule.ts';
import type { SourceHealth } from '../domain/source.ts';
import type { StreamCounter } from '../platforms/platform.ts';

/** A logger as `pino` is one. Fields never hold secrets or the text of posts. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Counters that the service reports to. Gauges are read instead: `context.ingest.queued`, `context.matching.size`. */
export interface Metrics {
  /** One event was matched: rules evaluated, matches found. */
  /** `isAgain`: the event was counted before, and some more of its rules are judged now. */
  event(platform: Platform, evaluated: number, matches: number, isAgain?: boolean): void;
  rejected(platform: Platform): void;
  /** A rule threw on an event. */
  ruleFailed(platform: Platform): void;
  /** The core was checked on this many rules of an event, and was wrong on some. */
  rechecked(platform: Platform, rules: number, differing: number): void;
  /** A thread that matches ended before its time. */
  matchThreadLost(): void;
  /** A compute thread has answered, after this many seconds of CPU. */
  computed(seconds: number): void;
  /** A compute thread ended before its time. */
  computeThreadLost(): void;
  /** Something happened to the stream of an upstream. */
  stream(platform: Platform, counter: StreamCounter): void;
  gap(platform: Platform): void;
  /** The upstream's word on a rule, and what our engine makes of it. */
  verdict(platform: Platform, verdict: VerdictCounter): void;
  /** An attempt of a delivery to a webhook has ended. */
  delivery(outcome: DeliveryOutcome): void;
  webhookDisabled(): void;
  /** Events of the past were read for a rehearsal. */
  rehearsed(events: number): void;
  rehearsal(outcome: RehearsalOutcome): void;
  /** A source of an account was visited, and was found so. */
  visited(outcome: SourceHealth): void;
  /** An alert began. */
  alert(platform: Platform, kind: Alert['kind']): void;
  /** A commit begins; the answer is called when it has ended. */
  commit(platform: Platform, rows: number): (ok: boolean) => void;
}

export const VERDICT_COUNTERS = [
  'agreed',
  'upstream_only',
  'engine_only',
  /** The engine finds none of a pack's rules in what the upstream sent for it. */
  'unclaimed',
] as const;
export type VerdictCounter = (typeof VERDICT_COUNTERS)[number];

/** `retrying`: it failed and is made again. `failed`: the delivery is given up. */
export const DELIVERY_OUTCOMES = ['delivered', 'retrying', 'failed'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** `retrying`: its archive failed and is asked again. */
export const REHEARSAL_OUTCOMES = ['done', 'retrying', 'failed'] as const;
export type RehearsalOutcome = (typeof REHEARSAL_OUTCOMES)[number];

/** The status of a source after a visit. `waiting`: nobody may have it now, and it was not asked. */
export const VISIT_OUTCOMES: readonly SourceHealth[] = [
  'ok',
  'silent',
  'moved',
  'changed',
  'blocked',
  'failing',
  'waiting',
];

export const noMetrics: Metrics = {
  event: () => {},
  rejected: () => {},
  ruleFailed: () => {},
  rechecked: () => {},
  matchThreadLost: () => {},
  computed: () => {},
  computeThreadLost: () => {},
  stream: () => {},
  gap: () => {},
  verdict: () => {},
  delivery: () => {},
  webhookDisabled: () => {},
  rehearsed: () => {},
  rehearsal: () => {},
  visited: () => {},
  alert: () => {},
  commit: () => () => {},
};

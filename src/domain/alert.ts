import type { Platform } from './platform.ts';

export const ALERT_KINDS = ['surge', 'silence'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What a rule is watched for; nothing unless it is asked for. */
export type RuleAlerts = Readonly<Record<AlertKind, boolean>>;

export const NO_ALERTS: RuleAlerts = { surge: false, silence: false };

/** One episode in which a rule did what is unusual for it. */
export interface Alert {
  readonly id: string;
  readonly accountId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly platform: Platform;
  readonly kind: AlertKind;
  readonly from: Date;
  /** Undefined while it lasts. */
  readonly to: Date | undefined;
  /** Matches an hour: the highest of a surge, 0 of a silence. */
  readonly rate: number;
  /** Matches an hour that were usual then. */
  readonly usualRate: number;
}

import type { Platform } from './platform.ts';

export const ALERT_KINDS = ['surge', 'silence'] as const;

/** A rule is watched for nothing unless that is asked for. */
export const NO_ALERTS: Readonly<Record<Alert['kind'], boolean>> = { surge: false, silence: false };

/** One episode in which a rule did what is unusual for it. */
export interface Alert {
  readonly id: string;
  readonly accountId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly platform: Platform;
  readonly kind: (typeof ALERT_KINDS)[number];
  readonly from: Date;
  /** It is undefined while the alert lasts. */
  readonly to: Date | undefined;
  /** Matches an hour: the highest of a surge, 0 of a silence. */
  readonly rate: number;
  /** Matches an hour that were usual then. */
  readonly usualRate: number;
}

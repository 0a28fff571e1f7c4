/** Rows of registrations. */
import type { Platform } from '../../domain/platform.ts';
import type { Registration, RegistrationState } from '../../domain/registration.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import { decodeText, parseColumn } from './texts.ts';

export interface RegistrationRow {
  readonly tag: string;
  readonly platform: Platform;
  readonly state: RegistrationState;
  readonly since: number;
  readonly platform_rule_id: string | null;
  readonly flags: string;
  readonly value: string;
  readonly texts: string;
}

export const registrationOf = (row: RegistrationRow): Registration => ({
  tag: row.tag,
  platform: row.platform,
  value: decodeText(row.value),
  flags: parseColumn<RuleFlags>(row.flags),
  texts: parseColumn<string[]>(row.texts),
  platformRuleId: row.platform_rule_id ?? undefined,
  state: row.state,
  since: new Date(row.since),
});

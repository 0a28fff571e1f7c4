/** What a match needs to know of its rule. */
import type { RuleText } from '../rule-text.ts';

/** A rule that an event satisfied. */
export interface Found {
  readonly ruleId: string;
  readonly version: number;
  readonly text: RuleText;
}

export interface LiveRuleText extends Found {
  readonly accountId: string;
}

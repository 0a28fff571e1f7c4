/** What a match needs to know of its rule. */
import type { RuleText } from '../../rules/rule-text.ts';

/** A rule that an event satisfied. */
export interface Found {
  readonly ruleId: string;
  readonly version: number;
  readonly text: RuleText;
  /** The words that it asks for, once they were needed; null where its query does not tell. See `askedWords`. */
  asked?: readonly number[] | null | undefined;
}

export interface LiveRuleText extends Found {
  readonly accountId: string;
}

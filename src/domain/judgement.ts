/** The answer of the operator's model about a match whose relevance is unsure, and the limits of spending on it. */
export interface MatchJudgement {
  readonly relevant: boolean;
  /** How sure the model says it is, 0 to 1. */
  readonly confidence?: number | undefined;
  /** The model has read what a stranger wrote, so its words count as a stranger's. They have no markup and no link. */
  readonly reason: string;
  readonly model: string;
  readonly at: Date;
}

/** Money is in millionths of the currency. */
export interface JudgeSpending {
  readonly calls: number;
  readonly money: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** No more than `most` calls, or so much money, in a day or a month of UTC. */
export interface JudgeLimit {
  readonly what: 'calls' | 'money';
  readonly most: number;
  readonly per: 'day' | 'month';
}

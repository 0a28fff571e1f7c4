/** Which matches a subscriber asked for. */
import type { Platform } from '../../domain/platform.ts';

export interface MatchFilter {
  readonly ruleId?: string;
  readonly platform?: Platform;
}

/** What a filter looks at. A gap without a rule concerns every rule of its platform. */
export interface Filtered {
  readonly platform: Platform;
  readonly ruleId: string | undefined;
}

export const isWanted = (filter: MatchFilter, { ruleId, platform }: Filtered): boolean =>
  (filter.platform === undefined || filter.platform === platform) &&
  (filter.ruleId === undefined || ruleId === undefined || filter.ruleId === ruleId);

/** Equal for equal filters: subscribers with the same key get the same bytes. */
export const filterKey = ({ ruleId, platform }: MatchFilter): string => `${ruleId ?? ''} ${platform ?? ''}`;

/** Which matches a subscriber asked for. */
import type { Platform } from '../../domain/platform.ts';

export interface MatchFilter {
  readonly ruleId?: string;
  readonly platform?: Platform;
  /** The source that brought the event. */
  readonly source?: string;
}

/**
 * The fields that a filter compares. A gap without a rule concerns every rule of its platform, and one without a source
 * every source.
 */
export interface Filtered {
  readonly platform: Platform;
  readonly ruleId: string | undefined;
  readonly source?: string | undefined;
}

export const isWanted = (filter: MatchFilter, { ruleId, platform, source }: Filtered): boolean =>
  (filter.platform === undefined || filter.platform === platform) &&
  (filter.ruleId === undefined || ruleId === undefined || filter.ruleId === ruleId) &&
  (filter.source === undefined || source === undefined || filter.source === source);

/** Equal for equal filters: subscribers with the same key get the same bytes. */
export const filterKey = ({ ruleId, platform, source }: MatchFilter): string =>
  `${ruleId ?? ''} ${platform ?? ''} ${source ?? ''}`;

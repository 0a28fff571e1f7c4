/** The facts of a match that a contract needs. */
import type { Match, MatchJudgement } from '../domain/match.ts';
import type { WakeContract } from '../domain/wake.ts';
import type { WakeCandidate } from './decide.ts';
import { speakerOf, summaryOf } from './summary.ts';

type Decidable = Pick<
  Match,
  'createdAt' | 'platform' | 'platformPostId' | 'ruleId' | 'ruleName' | 'source' | 'storyId' | 'payload'
> &
  Weighed;

interface Weighed {
  readonly relevance?: number | null | undefined;
  readonly judgement?: Pick<MatchJudgement, 'relevant'> | undefined;
}

/** The number that `min_relevance` is compared with. An answer of the judge replaces a relevance that was unsure. */
export const weightOf = ({ relevance, judgement }: Weighed): number | null =>
  judgement === undefined ? (relevance ?? null) : Number(judgement.relevant);

export const candidateOf = (contract: WakeContract, match: Decidable, isSilenced: boolean): WakeCandidate => ({
  story: match.storyId,
  relevance: weightOf(match),
  isSilenced,
  at: match.createdAt.getTime(),
  ruleId: match.ruleId,
  ...(contract.when?.distinct !== undefined && { key: keyOf(contract.when.distinct, match) }),
});

function keyOf(distinct: 'author' | 'site' | 'source', match: Decidable): string | undefined {
  if (distinct === 'source') return match.source;
  const { url } = summaryOf(match);
  return distinct === 'author' ? speakerOf(match, url) : siteOf(url);
}

const siteOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : speakerOf({ platform: 'firehose', payload: {} }, url);

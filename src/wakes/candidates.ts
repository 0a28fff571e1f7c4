/** What a contract has to know of a match. */
import type { Match } from '../domain/match.ts';
import type { WakeContract } from '../domain/wake.ts';
import type { WakeCandidate } from './decide.ts';
import { speakerOf, summaryOf } from './summary.ts';

type Decidable = Pick<
  Match,
  'createdAt' | 'platform' | 'platformPostId' | 'ruleId' | 'ruleName' | 'source' | 'storyId' | 'payload'
> & { readonly relevance?: number | null | undefined };

export const candidateOf = (contract: WakeContract, match: Decidable, isSilenced: boolean): WakeCandidate => ({
  story: match.storyId,
  relevance: match.relevance ?? null,
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

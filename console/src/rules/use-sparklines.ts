/** Match counts of the last 24 hours for the visible rules, loaded in blocks of 50 rules to keep requests few. */
import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Answer } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import type { Rule } from '../data/queries.ts';

const BLOCK = 50;
const EVERY = 60_000;

export function useSparklines(rules: readonly Rule[], first: number, last: number) {
  const from = Math.floor(Math.max(0, first) / BLOCK);
  const to = Math.floor(Math.min(last, rules.length - 1) / BLOCK);
  const blocks = useMemo(() => {
    const idsOf = (block: number) => rules.slice(block * BLOCK, (block + 1) * BLOCK).map(({ id }) => id);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => idsOf(from + index));
  }, [rules, from, to]);
  return useQueries({
    queries: blocks.map((ids) => ({
      queryKey: ['matches', 'sparklines', ids],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.matches.counts({ rule_ids: ids }, { signal }),
      staleTime: EVERY,
      refetchInterval: EVERY,
    })),
    combine: byRule,
  });
}

const byRule = (answers: readonly UseQueryResult<Answer<'matchCounts'>>[]): ReadonlyMap<string, readonly number[]> =>
  new Map(answers.flatMap(({ data }) => Object.entries(data?.by_rule ?? {})));

/** The rule that a sentence and examples ask for, on both platforms, and what it does to recent events. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Answer } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { PLATFORMS } from '../rules/draft.ts';
import { type Example, eventOn } from './examples.ts';

export interface Wish {
  readonly about: string;
  readonly wanted: readonly Example[];
  readonly unwanted: readonly Example[];
}

export type Drafted = Partial<Record<Platform, Answer<'draftRule'>>>;
export type Miss = Answer<'nearMisses'>;

/** The draft of a wish. While there is none yet, or where there can be none, it is the last one that there was. */
export function useDrafted(wish: Wish) {
  const { data, error, isFetching, refetch } = useDraftOf(wish);
  const last = useRef<Drafted>(undefined);
  last.current = data ?? last.current;
  const refusal = data === undefined ? error : null;
  return {
    drafted: last.current,
    refusal,
    isFetching,
    /** The draft that is shown is not the one of the wish, which is still to come. */
    isToCome: data === undefined && (isFetching || refusal === null),
    tryAgain: () => void refetch(),
  };
}

/** On one platform alone where no rule can be written for the other. */
const useDraftOf = (wish: Wish) =>
  useQuery({
    queryKey: ['draft', wish],
    queryFn: async ({ signal }): Promise<Drafted> => {
      const asked = await Promise.allSettled(PLATFORMS.map((platform) => draftOn(platform, wish, signal)));
      const drafted = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      if (drafted.length === 0) throw (asked[0] as PromiseRejectedResult).reason;
      return Object.fromEntries(drafted.map((one) => [one.platform, one]));
    },
    retry: false,
    staleTime: 60_000,
  });

function draftOn(platform: Platform, { about, wanted, unwanted }: Wish, signal: AbortSignal) {
  const events = (examples: readonly Example[]) => examples.map((one) => eventOn(platform, one));
  return client.rules.draft(
    {
      platform,
      intent: about,
      ...(wanted.length > 0 && { wanted: events(wanted) }),
      ...(unwanted.length > 0 && { unwanted: events(unwanted) }),
    },
    { signal },
  );
}

/** The near misses of the texts, with the newest events of each. */
export const useMisses = (texts: Partial<Record<Platform, string>>) =>
  useQuery({
    queryKey: ['near-misses', 'draft', texts],
    queryFn: ({ signal }) =>
      Promise.all(
        Object.entries(texts).map(([platform, value]) =>
          client.rules.nearMisses({ platform: platform as Platform, value, limit: 2 }, { signal }),
        ),
      ),
    enabled: Object.keys(texts).length > 0,
    placeholderData: keepPreviousData,
  });

/** The matches that one of two texts has and the other has not: the server tries both on the same recent events. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { type Flags, optionsOf } from './draft.ts';
import type { Preview } from './use-preview.ts';

export interface TextOf {
  readonly value: string;
  readonly flags: Flags;
}

export interface TextPair {
  readonly before: TextOf;
  readonly after: TextOf;
}

const requestOf = (platform: Platform, { value, flags }: TextOf) => ({
  overrides: { [platform]: value },
  ...optionsOf({ texts: { [platform]: value }, flags }),
});

/** Nothing is asked if the pair is undefined. */
export const useDifference = (platform: Platform, pair: TextPair | undefined) =>
  useQuery({
    queryKey: ['difference', platform, pair],
    queryFn: async ({ signal }): Promise<Preview> => {
      const { before, after } = pair!;
      const { platforms } = await client.rules.preview(
        { platforms: [platform], ...requestOf(platform, after), instead_of: requestOf(platform, before), limit: 1 },
        { signal },
      );
      return platforms[platform]!;
    },
    enabled: pair !== undefined,
    staleTime: 30_000,
  });

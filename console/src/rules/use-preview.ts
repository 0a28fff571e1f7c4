/** Which recent events a rule would have matched, loaded again as the user types. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Answer } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { type Flags, optionsOf, PLATFORMS } from './draft.ts';
import { useSettled } from './use-settled.ts';

export type Preview = NonNullable<Answer<'previewRule'>['platforms'][Platform]>;
export type PreviewMatch = Preview['matches'][number];

const SHOWN = 20;
const EVERY = 10_000;

export function usePreview(texts: Partial<Record<Platform, string>>, flags: Flags) {
  const asked = useSettled({ texts, flags });
  const platforms = PLATFORMS.filter((platform) => asked.texts[platform] !== undefined);
  return useQuery({
    queryKey: ['preview', asked],
    queryFn: ({ signal }) =>
      client.rules.preview({ platforms, overrides: asked.texts, limit: SHOWN, ...optionsOf(asked) }, { signal }),
    enabled: platforms.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY,
  });
}

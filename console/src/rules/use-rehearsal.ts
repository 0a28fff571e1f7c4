/** The rehearsal of the texts in the editor. The server keeps it, so that it is found again after a reload. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Input, SluiceError } from '../../../src/client/index.ts';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { type Flags, optionsOf, PLATFORMS } from './draft.ts';

type Texts = Partial<Record<Platform, string>>;
export type RehearsalHistory = NonNullable<Input<'rehearseRule'>['history']>;

const EVERY = 1_000;
const KEY = 'rehearsals';

export function useRehearsal(texts: Texts, flags: Flags) {
  const queries = useQueryClient();
  const platforms = PLATFORMS.filter((platform) => texts[platform] !== undefined);
  const list = useQuery({ queryKey: [KEY], queryFn: ({ signal }) => client.rehearsals.list({}, { signal }) });
  const own = list.data?.rehearsals.find(({ queries: asked }) => isSame(asked, texts));
  const shown = useQuery({
    queryKey: [KEY, own?.id],
    queryFn: ({ signal }) => client.rehearsals.get({ rehearsal_id: own!.id }, { signal }),
    enabled: own !== undefined,
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? EVERY : false),
  });
  const stale = () => queries.invalidateQueries({ queryKey: [KEY] });
  const start = useMutation<unknown, SluiceError, RehearsalHistory>({
    mutationFn: (history) =>
      client.rehearsals.start({ platforms, overrides: texts, history, ...optionsOf({ texts, flags }) }),
    onSuccess: stale,
  });
  const cancel = useMutation<unknown, SluiceError, string>({
    mutationFn: (id) => client.rehearsals.cancel({ rehearsal_id: id }),
    onSuccess: stale,
  });
  return { rehearsal: own === undefined ? undefined : shown.data, start, cancel, canStart: platforms.length > 0 };
}

const isSame = (asked: Texts, texts: Texts): boolean =>
  PLATFORMS.every((platform) => asked[platform] === texts[platform]?.trim());

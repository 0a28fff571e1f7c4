/** A rule without a word to be found by is looked at for every event. The engine knows, and says why. */
import { useQuery } from '@tanstack/react-query';
import { Snail } from 'lucide-react';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { useSettled } from './use-settled.ts';

/** `text` is undefined as long as it is no valid rule. */
export function SlowNote({ platform, text }: { platform: Platform; text: string | undefined }) {
  const asked = useSettled({ text }).text;
  const { data } = useQuery({
    queryKey: ['cost', platform, asked],
    queryFn: ({ signal }) => client.rules.validate({ platform, value: asked! }, { signal }),
    enabled: asked !== undefined,
    staleTime: 60_000,
  });
  const reason = data?.cost?.['reason'];
  if (typeof reason !== 'string' || text === undefined) return undefined;
  return (
    <p className="flex items-start gap-2 border-t px-3 py-2 text-soft">
      <Snail aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <span>Slow: every event has to be looked at, because {reason}. A word that must be there makes it quick.</span>
    </p>
  );
}

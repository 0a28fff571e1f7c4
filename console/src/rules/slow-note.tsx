/** Warns that a rule is slow: without a required word, every event must be checked. The server gives the reason. */
import { useQuery } from '@tanstack/react-query';
import { Snail } from 'lucide-react';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { useSettled } from './use-settled.ts';

/** `text` is undefined while it is not a valid rule. */
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
      <span>
        Slow: this rule is checked against every event, because {reason}. Add a required word to make it fast.
      </span>
    </p>
  );
}

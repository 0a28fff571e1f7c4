/** What a change of a rule adds and drops, tried on the same recent events. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { figure } from '../ui/moment.ts';
import { differenceOf } from './difference-of.ts';
import { type Flags, optionsOf } from './draft.ts';
import { useSettled } from './use-settled.ts';

export interface DifferenceProps {
  readonly platform: Platform;
  /** The text that runs now; undefined for a new rule. */
  readonly before: string | undefined;
  readonly after: string;
  readonly flags: Flags;
}

/** The most events that are compared one by one. */
const COMPARED = 100;

export function Difference({ platform, before, after, flags }: DifferenceProps) {
  const asked = useSettled({ before, after, flags });
  const { data } = useQuery({
    queryKey: ['difference', platform, asked],
    queryFn: async ({ signal }) => {
      const matchedBy = async (value: string) => {
        const { platforms } = await client.rules.preview(
          {
            platforms: [platform],
            overrides: { [platform]: value },
            limit: COMPARED,
            ...optionsOf({ texts: { [platform]: value }, flags }),
          },
          { signal },
        );
        const { matched, matches } = platforms[platform]!;
        return { matched, listed: matches.map(({ platform_post_id: id, at }) => ({ id, at: Date.parse(at) })) };
      };
      const [was, is] = await Promise.all([matchedBy(asked.before!), matchedBy(asked.after)]);
      return differenceOf(was, is);
    },
    enabled: asked.before !== undefined && asked.before.trim() !== asked.after.trim(),
    staleTime: 30_000,
  });
  if (data === undefined || before === undefined || before.trim() === after.trim()) return null;
  return (
    <p role="status" className="flex flex-wrap gap-x-4 border-b bg-sunken px-3 py-2">
      <span>Against the saved version:</span>
      <span className="text-ok">adds {figure(data.added)}</span>
      <span className="text-bad">drops {figure(data.dropped)}</span>
      {!data.isAll && <span className="text-faint">among the newest events</span>}
    </p>
  );
}

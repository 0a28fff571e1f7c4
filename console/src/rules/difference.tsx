/** What a change of a rule adds and drops, tried on the same recent events. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { figure } from '../ui/moment.ts';
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

interface Matched {
  /** How many there are; the newest of them are listed. */
  readonly matched: number;
  readonly listed: readonly { readonly id: string; readonly at: number }[];
}

/** Compared over the time that both lists reach back to, so that nothing is missing from one of them. */
export function differenceOf(was: Matched, is: Matched): { added: number; dropped: number; isAll: boolean } {
  const since = Math.max(reach(was), reach(is));
  const idsOf = ({ listed }: Matched) => new Set(listed.filter(({ at }) => at > since).map(({ id }) => id));
  const [before, after] = [idsOf(was), idsOf(is)];
  return {
    added: [...after].filter((id) => !before.has(id)).length,
    dropped: [...before].filter((id) => !after.has(id)).length,
    isAll: since === Number.NEGATIVE_INFINITY,
  };
}

/** The list is whole after this time. */
const reach = ({ matched, listed }: Matched): number =>
  matched <= listed.length ? Number.NEGATIVE_INFINITY : Math.min(...listed.map(({ at }) => at));

/** Says above a form that no further rule can be created, before anything is written. */
import { TriangleAlert } from 'lucide-react';
import { type Platform, useStatus } from '../data/queries.ts';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { PLATFORMS } from './draft.ts';

/** The platforms on which all rules of the account are in use. */
export function useFullPlatforms(): readonly Platform[] {
  const { data: status } = useStatus();
  const isFull = (platform: Platform) =>
    status?.limits.some(
      ({ code, limit, used }) => code === `${platform}_rules` && limit !== null && used !== null && used >= limit,
    );
  return PLATFORMS.filter(isFull);
}

export function LimitNotice() {
  const full = useFullPlatforms();
  const { data: status } = useStatus();
  if (full.length === 0) return null;
  return (
    <div role="status" className="flex gap-2 rounded-lg border border-warn bg-warn-soft px-3 py-2 text-warn">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div>
        {full.map((platform) => {
          const limit = status?.limits.find(({ code }) => code === `${platform}_rules`)?.limit;
          return (
            <p key={platform}>
              All {limit} rules of this account on {PLATFORM_WORDS[platform]} are in use. Delete one, or ask the
              operator for more.
            </p>
          );
        })}
      </div>
    </div>
  );
}

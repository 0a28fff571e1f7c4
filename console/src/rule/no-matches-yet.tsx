/** Greets a new rule: it has no match yet, and this is what it would have matched before it was made. */
import { Radio } from 'lucide-react';
import type { Rule } from '../data/queries.ts';
import { draftOf, PLATFORMS } from '../rules/draft.ts';
import { Caught } from '../rules/preview-panel.tsx';
import { usePreview } from '../rules/use-preview.ts';
import { counted } from '../ui/moment.ts';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { EmptyState } from '../ui/states.tsx';

const SHOWN = 5;

export function NoMatchesYet({ rule }: { rule: Rule }) {
  const { texts, flags } = draftOf(rule);
  const { data } = usePreview(texts, flags);
  const earlier = PLATFORMS.flatMap((platform) =>
    (data?.platforms[platform]?.matches ?? []).map((match) => ({ platform, match })),
  );
  return (
    <>
      <EmptyState icon={<Radio aria-hidden className="size-5" />} title="No matches yet">
        Posts and pages that match this rule appear here as they arrive.
        {PLATFORMS.map((platform) => {
          const preview = data?.platforms[platform];
          if (preview === undefined || preview.events === 0) return null;
          return (
            <p key={platform} className="mt-1">
              On {PLATFORM_WORDS[platform]} it would have matched {counted(preview.matched, 'event')} of the last{' '}
              {counted(preview.events, 'event')}, which came before the rule.
            </p>
          );
        })}
      </EmptyState>
      {earlier.length > 0 && (
        <ul aria-label="Events from before the rule" className="divide-y border-t">
          {earlier.slice(0, SHOWN).map(({ platform, match }) => (
            <Caught key={`${platform} ${match.platform_post_id}`} platform={platform} match={match} />
          ))}
        </ul>
      )}
    </>
  );
}

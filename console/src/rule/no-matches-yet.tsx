/** Of a rule without a match it is told which recent events it would have matched: they came before it, or while it was paused. */
import { Radio } from 'lucide-react';
import type { Rule } from '../data/queries.ts';
import { draftOf, PLATFORMS } from '../rules/draft.ts';
import { Caught } from '../rules/preview-panel.tsx';
import { usePreview } from '../rules/use-preview.ts';
import { counted, figure } from '../ui/moment.ts';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { EmptyState } from '../ui/states.tsx';

const SHOWN = 5;

export function NoMatchesYet({ rule }: { rule: Rule }) {
  const { texts, flags } = draftOf(rule);
  const { data } = usePreview(texts, flags);
  const missed = PLATFORMS.flatMap((platform) =>
    (data?.platforms[platform]?.matches ?? []).map((match) => ({ platform, match })),
  );
  return (
    <>
      <EmptyState icon={<Radio aria-hidden className="size-5" />} title="No matches yet">
        {rule.paused
          ? 'The rule is paused. Once it is resumed, posts and pages that match it appear here as they arrive.'
          : 'Posts and pages that match this rule appear here as they arrive.'}
        {PLATFORMS.map((platform) => {
          const preview = data?.platforms[platform];
          if (preview === undefined || preview.events === 0) return null;
          return (
            <p key={platform} className="mt-1">
              On {PLATFORM_WORDS[platform]} it would have matched{' '}
              {preview.matched === 0 ? 'none' : figure(preview.matched)} of the last {counted(preview.events, 'event')}.
            </p>
          );
        })}
      </EmptyState>
      {missed.length > 0 && (
        <ul aria-label="Recent events that it would have matched" className="divide-y border-t">
          {missed.slice(0, SHOWN).map(({ platform, match }) => (
            <Caught key={`${platform} ${match.platform_post_id}`} platform={platform} match={match} />
          ))}
        </ul>
      )}
    </>
  );
}

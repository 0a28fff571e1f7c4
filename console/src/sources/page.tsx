/** Sources: what is watched beside the platforms, and the way to more. */
import { Rss } from 'lucide-react';
import { useReadOnly, useSources } from '../data/queries.ts';
import { useKept } from '../data/undo.ts';
import { Card } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { AddSource } from './add-source.tsx';
import { OpmlButtons } from './opml-buttons.tsx';
import { SourceTable } from './source-table.tsx';

export function SourcesPage() {
  const { data, error, refetch } = useSources();
  const sources = useKept(data);
  const isReadOnly = useReadOnly();
  return (
    <Page
      title="Sources"
      about="Feeds, pages and public services that Sluice visits for you. What they bring reaches your rules alone."
      actions={<OpmlButtons sources={sources ?? []} readOnly={isReadOnly} />}
    >
      <div className="grid gap-4">
        {!isReadOnly && <AddSource />}
        <Card title="What is watched" flush>
          {error !== null && sources === undefined ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : sources === undefined ? (
            <SkeletonRows rows={3} />
          ) : sources.length === 0 ? (
            <EmptyState icon={<Rss aria-hidden className="size-5" />} title="No sources yet">
              Paste the address of a site, a channel or a page above. You see what it brings before you add it.
            </EmptyState>
          ) : (
            <SourceTable sources={sources} readOnly={isReadOnly} />
          )}
        </Card>
      </div>
    </Page>
  );
}

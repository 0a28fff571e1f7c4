/** The dialogs about one match, opened from its row, its page or by a key. */
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { type Match, useReadOnly } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import { toast } from '../ui/toast.tsx';

/** It needs the rule languages, which are large. */
const ExcludeDialog = lazy(() =>
  import('../exclude/exclude-dialog.tsx').then(({ ExcludeDialog: loaded }) => ({ default: loaded })),
);

const SilenceDialog = lazy(async () => {
  const { SilenceDialog: Loaded, silencedBy } = await import('../silences/silence-dialog.tsx');
  return {
    default: ({ match, onClose }: { match: Match; onClose(): void }) => (
      <Loaded choices={silencedBy(match)} onClose={onClose} />
    ),
  };
});

export type Act = 'exclude' | 'silence';

export function useMatchDialogs(): { act(act: Act, match: Match): void; dialog: ReactNode } {
  const [acting, setActing] = useState<{ act: Act; match: Match }>();
  const isReadOnly = useReadOnly();
  const act = useCallback(
    (name: Act, match: Match) => {
      if (isReadOnly) toast('Your key is read only.', 'bad');
      else setActing({ act: name, match });
    },
    [isReadOnly],
  );
  const close = () => setActing(undefined);
  const match = acting?.match;
  return {
    act,
    dialog: match !== undefined && (
      <Suspense>
        {acting?.act === 'silence' ? (
          <SilenceDialog match={match} onClose={close} />
        ) : (
          <ExcludeDialog
            match={match}
            event={readEvent(match.platform, match.payload, match.highlights, match.demo)}
            onClose={close}
          />
        )}
      </Suspense>
    ),
  };
}

/** How a rule came to be: every change, who made it, and the way back to an earlier text. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Change, type Rule, useChanges, useReadOnly } from '../data/queries.ts';
import { type TextsBefore, textsBefore } from '../rules/text-before.ts';
import { NOTHING_CHANGED } from '../rules/use-saved-text.ts';
import { ChangeWho, changeWords } from '../settings/change-words.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { TextChange } from './text-change.tsx';
import type { Loaded } from './use-counted.ts';
import { VersionEffect } from './version-effect.tsx';
import { textsOf } from './versions.ts';

export function HistoryTab({ rule }: { rule: Rule }) {
  const isReadOnly = useReadOnly();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useChanges(
    { kind: 'rule', id: rule.id },
    { enabled: !isReadOnly },
  );
  const changes = data?.pages.flatMap((page) => page.changes);
  return (
    <Card title="History" flush>
      {isReadOnly ? (
        <EmptyState title="Only a key with full access can see the history">Your key is read only.</EmptyState>
      ) : error !== null && changes === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : changes === undefined ? (
        <SkeletonRows rows={3} />
      ) : changes.length === 0 ? (
        <EmptyState title="No changes on record">Changes are kept as long as matches.</EmptyState>
      ) : (
        <ul className="divide-y">
          {changes.map((change) => (
            <Entry
              key={`${change.at} ${change.what}`}
              rule={rule}
              change={change}
              loaded={{ changes, hasMore: hasNextPage }}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="flex justify-center border-t py-2">
          <Button look="quiet" size="small" onClick={() => void fetchNextPage()}>
            Load older changes
          </Button>
        </div>
      )}
    </Card>
  );
}

function Entry({ rule, change, loaded }: { rule: Rule; change: Change; loaded: Loaded }) {
  const before = textsOf(change.before);
  const after = textsOf(change.after);
  const wayBack = change.what === 'rule.changed' ? textsBefore(change) : undefined;
  return (
    <li className="grid gap-1.5 px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{changeWords(change)}</span>
        <span className="text-soft">
          <ChangeWho change={change} />
        </span>
        <Time at={change.at} className="tabular text-faint" />
        {wayBack !== undefined && <Restore rule={rule} texts={wayBack} />}
      </div>
      {(Object.keys(after ?? {}) as (keyof typeof PLATFORM_NAMES)[]).map((platform) => (
        <div key={platform} className="grid gap-1">
          <span className="text-xs text-faint">{PLATFORM_NAMES[platform]}</span>
          <TextChange before={before?.[platform]} after={after?.[platform] ?? ''} />
          <VersionEffect rule={rule} platform={platform} change={change} loaded={loaded} />
        </div>
      ))}
    </li>
  );
}

function Restore({ rule, texts }: { rule: Rule; texts: TextsBefore }) {
  const restore = useChange(client.rules.update, ['rules', 'status', 'changes']);
  return (
    <Button
      size="small"
      className="ml-auto"
      busy={restore.isPending}
      onClick={() =>
        restore.mutate(
          { rule_id: rule.id, ...texts },
          {
            onSuccess: ({ version }) =>
              toast(version === rule.version ? NOTHING_CHANGED : `The text before is back, as version ${version}.`),
            onError: ({ message }) => toast(message, 'bad'),
          },
        )
      }
    >
      Restore the text before
    </Button>
  );
}

/** The last change of a rule's text: what it did, and the way back. */
import { useMemo } from 'react';
import {
  type Change,
  type Platform,
  type Rule,
  useChanges,
  useMatchCounts,
  useReadOnly,
  useStatus,
} from '../data/queries.ts';
import { missingSpans } from '../matches/gaps.ts';
import { textsBefore } from '../rules/text-before.ts';
import { useSavedText } from '../rules/use-saved-text.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { byServer } from '../ui/server-now.ts';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { BEFORE, sinceChange } from './since-change.ts';
import { TextChange } from './text-change.tsx';
import { pairOf, versionTimes } from './versions.ts';

/** Minutes are counted up to here; History has what is older. */
const RECENT = 8 * 3_600_000;
const PLATFORMS: readonly Platform[] = ['x', 'firehose'];

export function LastChange({ rule }: { rule: Rule }) {
  const isReadOnly = useReadOnly();
  const { data } = useChanges({ kind: 'rule', id: rule.id }, { enabled: !isReadOnly });
  const now = byServer(useStatus().dataUpdatedAt);
  const changes = data?.pages.flatMap((page) => page.changes) ?? [];
  const last = changes.find((change) => PLATFORMS.some((platform) => pairOf(change, platform) !== undefined));
  if (last === undefined || now - Date.parse(last.at) > RECENT) return null;
  const before = versionTimes(changes).find((at) => at < Date.parse(last.at));
  return (
    <Card title="The last change" aside={<Time at={last.at} />} flush>
      <ul className="divide-y">
        {PLATFORMS.flatMap((platform) => {
          const pair = pairOf(last, platform);
          if (pair === undefined) return [];
          const from = Math.max(before ?? 0, Date.parse(rule.created_at));
          const told = { platform, at: Date.parse(last.at), from };
          const texts = { was: pair.before.value, is: pair.after.value };
          return [<ChangedText key={platform} rule={rule} change={last} {...texts} {...told} />];
        })}
      </ul>
    </Card>
  );
}

interface ChangedTextProps {
  readonly rule: Rule;
  readonly platform: Platform;
  readonly change: Change;
  readonly was: string;
  readonly is: string;
  readonly at: number;
  readonly from: number;
}

function ChangedText({ rule, platform, change, was, is, at, from }: ChangedTextProps) {
  const { data: status, dataUpdatedAt } = useStatus();
  const now = byServer(dataUpdatedAt);
  const since = useMemo(() => new Date(Math.floor((at - BEFORE) / 60_000) * 60_000).toISOString(), [at]);
  const { data: counts } = useMatchCounts({ rule_id: rule.id, platform, interval: 'minute', from: since });
  const { save, isPending } = useSavedText(platform, rule);
  const isReadOnly = useReadOnly();
  const { options } = textsBefore(change, [platform])!;
  const missing = missingSpans(status, { platforms: [platform], ruleId: rule.id, now });
  return (
    <li className="grid gap-1.5 px-3 py-2.5">
      <div className="flex flex-wrap items-start gap-2">
        <p className="min-w-0 flex-1 basis-64" role="status">
          {counts === undefined ? '…' : sinceChange({ at, now, from, counts: counts.counts, missing })}
        </p>
        <Button
          size="small"
          busy={isPending}
          obstacle={isReadOnly ? 'Your key is read only.' : undefined}
          onClick={() => void save(was, options).catch(({ message }: Error) => toast(message, 'bad'))}
        >
          Go back to the text before
        </Button>
      </div>
      <p className="text-xs text-faint">{PLATFORM_NAMES[platform]}</p>
      <TextChange before={was} after={is} />
    </li>
  );
}

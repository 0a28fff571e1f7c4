/** The actions on an existing rule, and its facts. */
import { useNavigate } from '@tanstack/react-router';
import { BellOff, Copy, Ellipsis, Pause, Play, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { type Rule, useMatchCounts, useStatus } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { counted } from '../ui/moment.ts';
import { Sparkline } from '../ui/sparkline.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { lastMatchOf, matchesOf, stateNow } from './rule-state.ts';
import { useSaidDeleted } from './use-restore.ts';
import { useDeleteRule, usePauseRule } from './use-saving.ts';

const SilenceDialog = lazy(() =>
  import('../silences/silence-dialog.tsx').then(({ SilenceDialog: loaded }) => ({ default: loaded })),
);

export function RuleActions({ rule, readOnly }: { rule: Rule; readOnly: boolean }) {
  const navigate = useNavigate();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isSilencing, setSilencing] = useState(false);
  const { mutate: pause, isPending } = usePauseRule(rule);
  const { mutateAsync: remove } = useDeleteRule(rule);
  const saidDeleted = useSaidDeleted();
  return (
    <>
      <Button
        busy={isPending}
        obstacle={readOnly ? 'Your key is read only.' : undefined}
        icon={rule.paused ? <Play aria-hidden className="size-3.5" /> : <Pause aria-hidden className="size-3.5" />}
        onClick={() =>
          pause(!rule.paused, {
            onSuccess: () => toast(rule.paused ? 'Rule resumed.' : 'Rule paused. Its matches are kept.'),
            onError: (error) => toast(error.message, 'bad'),
          })
        }
      >
        <span className="max-sm:sr-only">{rule.paused ? 'Resume rule' : 'Pause rule'}</span>
      </Button>
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        <MenuItem
          icon={<Copy aria-hidden className="size-4" />}
          onSelect={() => void navigate({ to: '/rules/write', search: { copy: rule.id } })}
        >
          Duplicate
        </MenuItem>
        <MenuItem
          disabled={readOnly}
          icon={<BellOff aria-hidden className="size-4" />}
          onSelect={() => setSilencing(true)}
        >
          Mute …
        </MenuItem>
        <MenuItem
          danger
          disabled={readOnly}
          icon={<Trash2 aria-hidden className="size-4" />}
          onSelect={() => setIsDeleting(true)}
        >
          Delete …
        </MenuItem>
      </Menu>
      {isSilencing && (
        <Suspense>
          <SilenceDialog
            choices={[{ label: `Rule “${rule.name}”`, terms: { rule_ids: [rule.id] } }]}
            onClose={() => setSilencing(false)}
          />
        </Suspense>
      )}
      <Confirm
        title={`Delete “${rule.name}”?`}
        action="Delete rule"
        open={isDeleting}
        onClose={() => setIsDeleting(false)}
        onConfirm={async () => {
          await remove(undefined);
          saidDeleted(`Rule “${rule.name}” deleted. You can restore it for seven days, under Rules, Deleted.`, [rule]);
          await navigate({ to: '/rules', search: {} });
        }}
      >
        The rule stops at once, and its {counted(matchesOf(rule), 'match', 'matches')} are hidden. You can restore it
        for seven days, under Rules, Deleted. To stop it and keep its matches in view, pause it.
      </Confirm>
    </>
  );
}

/** State, version, matches: one line under the name. */
export function RuleFacts({ rule }: { rule: Rule }) {
  const { words, tone, reason } = stateNow(rule, useStatus().data);
  const last = lastMatchOf(rule);
  const { data } = useMatchCounts({ rule_id: rule.id });
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Badge tone={tone} dot>
        {words}
      </Badge>
      {reason !== undefined && <span className={tone === 'bad' ? 'text-bad' : 'text-soft'}>{reason}</span>}
      <span title="Each change of a text adds one. A match names the version that matched.">
        Version {rule.version}
      </span>
      <span>
        {counted(matchesOf(rule), 'match', 'matches')}
        {last !== undefined && (
          <>
            , last <Time at={last} />
          </>
        )}
      </span>
      <span className="inline-block h-5 w-[95px] max-lg:hidden">
        {data !== undefined && <Sparkline counts={data.counts.map(({ count }) => count)} label="Last 24 hours" />}
      </span>
    </span>
  );
}

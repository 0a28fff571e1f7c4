/** A draft: the rule, what it catches, nearly misses and costs. Each yes and no makes it fit better. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Platform, useReadOnly } from '../data/queries.ts';
import type { Draft } from '../rules/draft.ts';
import { useFullPlatforms } from '../rules/limit-notice.tsx';
import { Refusal, SaveBar } from '../rules/save-bar.tsx';
import { usePreview } from '../rules/use-preview.ts';
import { useCreateRule } from '../rules/use-saving.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';
import { DraftCard } from './draft-card.tsx';
import { type Example, nameOf } from './examples.ts';
import { TrialList } from './trial-list.tsx';
import { type Trial, trialsOf, type Verdict } from './trials.ts';
import { useDrafted, useMisses } from './use-drafted.ts';

interface DraftedRuleProps {
  readonly about: string;
  /** Besides the sentence. */
  readonly examples?: readonly Example[];
}

export function DraftedRule({ about, examples = [] }: DraftedRuleProps) {
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Verdict>>(new Map());
  const [trials, setTrials] = useState<readonly Trial[]>();
  const [left, setLeft] = useState<ReadonlySet<Platform>>(new Set());
  const [name, setName] = useState<string>();
  const said = (verdict: Verdict) =>
    (trials ?? []).filter(({ id }) => verdicts.get(id) === verdict).map(({ example }) => example);
  const { drafted, refusal, isFetching, isToCome, tryAgain } = useDrafted({
    about,
    wanted: [...examples, ...said('yes')],
    unwanted: said('no'),
  });
  const texts = Object.fromEntries(Object.entries(drafted ?? {}).map(([on, { value }]) => [on, value]));
  const { data: preview } = usePreview(texts, {});
  const { data: misses } = useMisses(texts);
  // They stay while the draft changes: what was answered must not move.
  if (trials === undefined && preview !== undefined && misses !== undefined)
    setTrials(trialsOf(preview.platforms, misses));

  const refused = refusal !== null && (
    <Refused message={refusal.message} hasDraft={drafted !== undefined} busy={isFetching} onRetry={tryAgain} />
  );
  if (drafted === undefined)
    return (
      refused || (
        <Card title="Drafting the rule …" flush>
          <SkeletonRows rows={5} label="Drafting the rule" />
        </Card>
      )
    );
  const draft: Draft = {
    name: name ?? nameOf(about === '' ? (examples[0]?.text ?? '') : about),
    intent: about,
    texts: Object.fromEntries(Object.entries(texts).filter(([on]) => !left.has(on as Platform))),
    flags: {},
  };
  return (
    <>
      {refused}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,26rem)]">
        <TrialList
          trials={trials}
          verdicts={verdicts}
          busy={isFetching}
          onSay={(id, verdict) => setVerdicts(withVerdict(verdicts, id, verdict))}
        />
        <DraftCard
          draft={draft}
          drafted={drafted}
          previews={preview?.platforms}
          left={left}
          onName={setName}
          onLeave={setLeft}
        />
      </div>
      <CreateBar draft={draft} isDrafting={isToCome} />
    </>
  );
}

/** A verdict that is given twice is taken back. */
function withVerdict(verdicts: ReadonlyMap<string, Verdict>, id: string, verdict: Verdict) {
  const next = new Map(verdicts);
  if (next.get(id) === verdict) next.delete(id);
  else next.set(id, verdict);
  return next;
}

interface RefusedProps {
  readonly message: string;
  /** The draft before is shown below. */
  readonly hasDraft: boolean;
  readonly busy: boolean;
  onRetry(): void;
}

function Refused({ message, hasDraft, busy, onRetry }: RefusedProps) {
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-bad bg-bad-soft px-3 py-2 text-bad">
      <p role="alert" className="min-w-0 flex-1 basis-64 break-words">
        {message}
        {hasDraft && ' Below is the rule as it was drafted before your last answer.'}
      </p>
      <Button size="small" busy={busy} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** While the next draft is being written, the one before is shown, and it is not the rule that was asked for. */
function CreateBar({ draft, isDrafting }: { draft: Draft; isDrafting: boolean }) {
  const navigate = useNavigate();
  const isReadOnly = useReadOnly();
  const full = useFullPlatforms();
  const create = useCreateRule();
  const on = Object.keys(draft.texts) as Platform[];
  const obstacle = isDrafting ? 'The rule is being drafted.' : obstacleOf(isReadOnly, on, full);
  const onSave = () => void save().catch(() => {});
  useSubmitKey(obstacle === undefined && !create.isPending ? onSave : undefined);
  async function save() {
    const { rule_id } = await create.mutateAsync(draft);
    toast(`Rule “${draft.name}” created.`);
    await navigate({ to: '/rules/$ruleId', params: { ruleId: rule_id } });
  }
  return (
    <>
      <Refusal error={create.error} />
      <SaveBar action="Create rule" obstacle={obstacle} busy={create.isPending} onSave={onSave} />
    </>
  );
}

/** Ctrl+Enter anywhere on the page. */
function useSubmitKey(run: (() => void) | undefined): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run?.();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

function obstacleOf(isReadOnly: boolean, on: readonly Platform[], full: readonly Platform[]): string | undefined {
  if (isReadOnly) return 'Your key is read only.';
  if (on.length === 0) return 'Choose what to watch: X posts, web pages, or both.';
  return on.some((platform) => full.includes(platform)) ? 'No further rule can be created there.' : undefined;
}

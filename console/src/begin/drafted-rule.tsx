/** A draft: the rule, what it catches, nearly misses and costs. Each yes and no makes it fit better. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Platform, useReadOnly } from '../data/queries.ts';
import type { Draft } from '../rules/draft.ts';
import { useFullPlatforms } from '../rules/limit-notice.tsx';
import { Refusal, SaveBar } from '../rules/save-bar.tsx';
import { usePreview } from '../rules/use-preview.ts';
import { useCreateRule } from '../rules/use-saving.ts';
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
  const drafted = useDrafted({ about, wanted: [...examples, ...said('yes')], unwanted: said('no') });
  const texts = Object.fromEntries(Object.entries(drafted.data ?? {}).map(([on, { value }]) => [on, value]));
  const { data: preview } = usePreview(texts, {});
  const { data: misses } = useMisses(texts);
  // They stay while the draft changes: what was answered must not move.
  if (trials === undefined && preview !== undefined && misses !== undefined)
    setTrials(trialsOf(preview.platforms, misses));

  if (drafted.error !== null && drafted.data === undefined) return <Refused message={drafted.error.message} />;
  if (drafted.data === undefined)
    return (
      <Card title="Drafting the rule …" flush>
        <SkeletonRows rows={5} label="Drafting the rule" />
      </Card>
    );
  const draft: Draft = {
    name: name ?? nameOf(about === '' ? (examples[0]?.text ?? '') : about),
    intent: about,
    texts: Object.fromEntries(Object.entries(texts).filter(([on]) => !left.has(on as Platform))),
    flags: {},
  };
  return (
    <>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,26rem)]">
        <TrialList
          trials={trials}
          verdicts={verdicts}
          busy={drafted.isFetching}
          onSay={(id, verdict) => setVerdicts(withVerdict(verdicts, id, verdict))}
        />
        <DraftCard
          draft={draft}
          drafted={drafted.data}
          previews={preview?.platforms}
          left={left}
          onName={setName}
          onLeave={setLeft}
        />
      </div>
      <CreateBar draft={draft} isDrafting={drafted.isPlaceholderData} />
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

function Refused({ message }: { message: string }) {
  return (
    <p role="alert" className="rounded-lg border border-bad bg-bad-soft px-3 py-2 text-bad">
      {message}
    </p>
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

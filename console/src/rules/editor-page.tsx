/** The editor page, for a new rule and for an existing one. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Rule, useReadOnly, useRule } from '../data/queries.ts';
import { Page } from '../ui/page.tsx';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { type Draft, draftOf, draftOfExample, EMPTY, obstacle } from './draft.ts';
import { EXAMPLES } from './examples.ts';
import { useLanguages } from './languages.ts';
import { LeaveGuard } from './leave-guard.tsx';
import { RuleActions, RuleFacts } from './rule-actions.tsx';
import { RuleForm } from './rule-form.tsx';
import { Refusal, SaveButton } from './save-button.tsx';
import { useCreateRule, useUpdateRule } from './use-saving.ts';

export function NewRulePage() {
  const { example, copy } = useSearch({ from: '/inside/rules/new' });
  const chosen = EXAMPLES.find(({ id }) => id === example);
  if (copy !== undefined) return <CopiedRule ruleId={copy} />;
  return <NewRule key={example ?? ''} start={chosen === undefined ? EMPTY : draftOfExample(chosen)} />;
}

function CopiedRule({ ruleId }: { ruleId: string }) {
  const { data: rule, error, refetch } = useRule(ruleId);
  if (rule !== undefined) return <NewRule start={{ ...draftOf(rule), name: `${rule.name} (copy)`.slice(0, 200) }} />;
  return <Waiting title="New rule" error={error} onRetry={() => void refetch()} />;
}

function NewRule({ start }: { start: Draft }) {
  const languages = useLanguages();
  const readOnly = useReadOnly();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(start);
  const { mutateAsync: create, isPending, isSuccess, error } = useCreateRule();
  const why = readOnly ? 'Your key is read only.' : obstacle(languages, draft);

  async function save() {
    if (why !== undefined) return toast(why, 'bad');
    const { rule_id } = await create(draft);
    toast(`Rule “${draft.name.trim()}” created.`);
    await navigate({ to: '/rules/$ruleId', params: { ruleId: rule_id }, ignoreBlocker: true });
  }

  const onSave = () => void save().catch(() => {});
  return (
    <Page
      title="New rule"
      about="As you type, the preview shows which recent events the rule matches. The rule takes effect when you create it."
      actions={<SaveButton action="Create rule" obstacle={why} busy={isPending} onSave={onSave} />}
    >
      <Refusal error={error} />
      <RuleForm languages={languages} draft={draft} isNew readOnly={readOnly} onChange={setDraft} onSubmit={onSave} />
      <LeaveGuard when={differs(draft, start) && !isSuccess} />
    </Page>
  );
}

export function RulePage() {
  const { ruleId } = useParams({ from: '/inside/rules/$ruleId' });
  const { data: rule, error, refetch } = useRule(ruleId);
  if (rule !== undefined) return <OldRule key={rule.id} rule={rule} />;
  return <Waiting title="Rule" error={error} onRetry={() => void refetch()} />;
}

function OldRule({ rule }: { rule: Rule }) {
  const languages = useLanguages();
  const readOnly = useReadOnly();
  // Typed changes stay while the rule reloads. Without changes, the newest version shows.
  const [written, setWritten] = useState<Draft>();
  const draft = written ?? draftOf(rule);
  const isChanged = written !== undefined && differs(written, draftOf(rule));
  const { mutateAsync: update, isPending, error } = useUpdateRule(rule);
  const why = readOnly
    ? 'Your key is read only.'
    : isChanged
      ? obstacle(languages, draft)
      : 'There are no changes to save.';

  async function save() {
    if (why !== undefined) return toast(why, 'bad');
    const { version } = await update(draft);
    setWritten(undefined);
    toast(version === rule.version ? 'Saved.' : `Saved as version ${version}.`);
  }

  const onSave = () => void save().catch(() => {});
  return (
    <Page
      title={rule.name}
      about={<RuleFacts rule={rule} />}
      actions={
        <>
          <RuleActions rule={rule} readOnly={readOnly} />
          <SaveButton action="Save" obstacle={why} busy={isPending} onSave={onSave} />
        </>
      }
    >
      <Refusal error={error} />
      <RuleForm
        languages={languages}
        draft={draft}
        isNew={false}
        readOnly={readOnly}
        onChange={setWritten}
        onSubmit={onSave}
      />
      <LeaveGuard when={isChanged} />
    </Page>
  );
}

const differs = (one: Draft, other: Draft): boolean => JSON.stringify(one) !== JSON.stringify(other);

function Waiting({ title, error, onRetry }: { title: string; error: Error | null; onRetry(): void }) {
  return (
    <Page title={title} about={<Skeleton className="my-0.5 h-4 w-56" />}>
      {error === null ? (
        <div className="rounded-lg border bg-surface">
          <SkeletonRows label="Loading the rule" />
        </div>
      ) : (
        <ErrorState title="This rule could not be loaded" error={error} onRetry={onRetry} />
      )}
    </Page>
  );
}

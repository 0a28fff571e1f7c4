/** The editor for a new rule: from nothing, from an example, or as a copy. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDraft } from '../data/drafts.ts';
import { useReadOnly, useRule } from '../data/queries.ts';
import { buttonClass } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { type Draft, draftOf, draftOfExample, EMPTY, isDraft, obstacle, proposedName } from './draft.ts';
import { DraftNotice } from './draft-notice.tsx';
import { EXAMPLES } from './examples.ts';
import { useLanguages } from './languages.ts';
import { LimitNotice } from './limit-notice.tsx';
import { refusedPlatforms } from './refusal-words.ts';
import { RuleForm } from './rule-form.tsx';
import { RuleWaiting } from './rule-waiting.tsx';
import { Refusal, SaveBar } from './save-bar.tsx';
import { useCreateRule } from './use-saving.ts';

export function NewRulePage() {
  const { example, copy, source } = useSearch({ from: '/inside/rules/write' });
  const chosen = EXAMPLES.find(({ id }) => id === example);
  if (copy !== undefined) return <CopiedRule ruleId={copy} />;
  if (source !== undefined)
    return (
      <NewRule
        key={source}
        name={`source ${source}`}
        start={{ ...EMPTY, texts: { firehose: '' }, sources: [source] }}
      />
    );
  return (
    <NewRule
      key={example ?? ''}
      name={`new ${example ?? ''}`}
      start={chosen === undefined ? EMPTY : draftOfExample(chosen)}
    />
  );
}

function CopiedRule({ ruleId }: { ruleId: string }) {
  const { data: rule, error, refetch } = useRule(ruleId);
  if (rule === undefined) return <RuleWaiting title="New rule" error={error} onRetry={() => void refetch()} />;
  return <NewRule name={`copy ${ruleId}`} start={{ ...draftOf(rule), name: `${rule.name} (copy)`.slice(0, 200) }} />;
}

function NewRule({ name, start }: { name: string; start: Draft }) {
  const languages = useLanguages();
  const readOnly = useReadOnly();
  const navigate = useNavigate();
  const { draft: written, set, discard, wasKept } = useDraft(name, isDraft);
  const typed = written ?? start;
  // Without a name of its own, a rule is called by its text.
  const draft = typed.name.trim() === '' ? { ...typed, name: proposedName(typed) } : typed;
  const { mutateAsync: create, isPending, error, variables } = useCreateRule();
  const why = readOnly ? 'Your key is read only.' : obstacle(languages, draft);

  async function save() {
    if (why !== undefined) return void toast(why, 'bad');
    const { rule_id } = await create(draft);
    set(undefined);
    toast(`Rule “${draft.name.trim()}” created.`);
    await navigate({ to: '/rules/$ruleId', params: { ruleId: rule_id } });
  }

  const onSave = () => void save().catch(() => {});
  return (
    <Page
      title="New rule"
      about="As you type, the preview shows which recent events the rule matches. The rule takes effect when you create it."
      actions={
        <Link to="/rules/new" search={{}} className={buttonClass('quiet')}>
          Begin with a sentence
        </Link>
      }
    >
      <LimitNotice />
      {written === undefined && start === EMPTY && <Examples />}
      {wasKept && written !== undefined && <DraftNotice onDiscard={discard} />}
      <Refusal error={error} />
      <RuleForm
        languages={languages}
        draft={typed}
        proposed={proposedName(typed)}
        readOnly={readOnly}
        refused={refusedPlatforms(error, variables?.texts, typed)}
        onChange={set}
        onSubmit={onSave}
      />
      <SaveBar action="Create rule" obstacle={why} busy={isPending} onSave={onSave} />
    </Page>
  );
}

function Examples() {
  return (
    <p className="mb-4 flex flex-wrap items-center gap-2 text-soft">
      Examples
      {EXAMPLES.map(({ id, name }) => (
        <Link key={id} to="/rules/write" search={{ example: id }} className={buttonClass('plain', 'small')}>
          {name}
        </Link>
      ))}
    </p>
  );
}

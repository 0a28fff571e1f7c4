/** The editor of an existing rule. What is typed is kept until it is saved or discarded. */
import { useDraft } from '../data/drafts.ts';
import { type Rule, useReadOnly } from '../data/queries.ts';
import { differs, draftOf, obstacle } from '../rules/draft.ts';
import { editOf, isEdit, withEdit } from '../rules/draft-changes.ts';
import { DraftNotice } from '../rules/draft-notice.tsx';
import { useLanguages } from '../rules/languages.ts';
import { refusedPlatforms } from '../rules/refusal-words.ts';
import { RuleForm } from '../rules/rule-form.tsx';
import { Refusal, SaveBar } from '../rules/save-bar.tsx';
import { useUpdateRule } from '../rules/use-saving.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';

export function EditTab({ rule }: { rule: Rule }) {
  const languages = useLanguages();
  const readOnly = useReadOnly();
  // Typed changes stay while the rule reloads. Of what was not changed, the newest version shows.
  const { draft: written, set, forget, discard, wasKept } = useDraft(rule.id, isEdit);
  const saved = draftOf(rule);
  const draft = written === undefined ? saved : withEdit(saved, written);
  const isChanged = differs(draft, saved);
  const { mutateAsync: update, isPending, error, variables } = useUpdateRule(rule);
  const why = readOnly
    ? 'Your key is read only.'
    : isChanged
      ? obstacle(languages, draft)
      : 'There are no changes to save.';

  async function save() {
    if (why !== undefined) return void toast(why, 'bad');
    const { version } = await update(draft);
    forget(written);
    toast(version === rule.version ? 'Saved.' : `Saved as version ${version}.`);
  }

  const onSave = () => void save().catch(() => {});
  return (
    <>
      {wasKept && isChanged && <DraftNotice onDiscard={discard} />}
      <Refusal error={error} />
      <RuleForm
        languages={languages}
        draft={draft}
        saved={saved.texts}
        readOnly={readOnly}
        refused={refusedPlatforms(error, variables?.texts, draft)}
        onChange={(shown) => set(editOf(saved, shown))}
        onSubmit={onSave}
      />
      <SaveBar action="Save" obstacle={why} busy={isPending} onSave={onSave}>
        {isChanged && <Button onClick={discard}>Discard changes</Button>}
      </SaveBar>
    </>
  );
}

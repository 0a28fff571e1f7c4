/** A rule from posts and pages that are like what is wanted: pasted, or picked from what has arrived. */
import { Sparkles } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Field } from '../ui/field.tsx';
import { Input, TextArea } from '../ui/input.tsx';
import { counted } from '../ui/moment.ts';
import { DraftedRule } from './drafted-rule.tsx';
import { ExamplePicker } from './example-picker.tsx';
import { type Example, pastedExamples } from './examples.ts';

/** Fewer examples have too many words in common, or none. */
const ENOUGH = 3;

export function FromExamples() {
  const [pasted, setPasted] = useState('');
  const [picked, setPicked] = useState<readonly Example[]>([]);
  const [about, setAbout] = useState('');
  const [asked, setAsked] = useState<{ about: string; examples: readonly Example[] }>();
  const examples = [...pastedExamples(pasted), ...picked];
  return (
    <>
      <Card title="Posts or pages like those that you want">
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            setAsked({ about: about.trim(), examples });
          }}
        >
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <Field label="Paste some" hint="One a line, or with blank lines between them. JSON works, too.">
              {(control) => (
                <TextArea
                  {...control}
                  rows={8}
                  autoFocus
                  value={pasted}
                  placeholder={'The volcano is erupting again\nLava has reached the road'}
                  onChange={({ target }) => setPasted(target.value)}
                />
              )}
            </Field>
            <ExamplePicker picked={picked} onPick={setPicked} />
          </div>
          <Field label="What they have in common (optional)">
            {(control) => (
              <Input {...control} value={about} maxLength={2_000} onChange={({ target }) => setAbout(target.value)} />
            )}
          </Field>
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              look="primary"
              icon={<Sparkles aria-hidden className="size-3.5" />}
              obstacle={examples.length === 0 ? 'Paste or pick at least one example.' : undefined}
            >
              Draft the rule
            </Button>
            <span className="text-soft">{examples.length > 0 && `from ${counted(examples.length, 'example')}`}</span>
          </div>
          {examples.length > 0 && examples.length < ENOUGH && about.trim() === '' && (
            <p role="status" className="text-warn">
              {counted(examples.length, 'example')} alone cannot show which words matter, so the rule may catch too
              much. Add another example, or say what they have in common.
            </p>
          )}
        </form>
      </Card>
      {asked !== undefined && <DraftedRule key={JSON.stringify(asked)} {...asked} />}
    </>
  );
}

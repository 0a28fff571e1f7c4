/** "What do you care about?": a sentence, or an address. It leads to the page where the rule is drafted. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Sparkles } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { EXAMPLES } from '../rules/examples.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { TextArea } from '../ui/input.tsx';
import { addressIn } from './address-in.ts';

export interface QuestionProps {
  readonly about?: string | undefined;
  /** Whether the reader came to answer it: the field has the focus then. */
  readonly isFocused?: boolean;
  /** Whether the page has the other ways to begin a rule already. */
  readonly isAmongWays?: boolean;
}

export function Question({ about = '', isFocused = false, isAmongWays = false }: QuestionProps) {
  const id = useId();
  const [text, setText] = useState(about);
  const navigate = useNavigate();
  const address = addressIn(text);
  function begin(event: FormEvent | KeyboardEvent) {
    event.preventDefault();
    if (text.trim() === '') return;
    const search = address === undefined ? { about: text.trim() } : { from: 'address', url: address };
    void navigate({ to: '/rules/new', search });
  }
  return (
    <section className="rounded-lg border bg-surface p-4 sm:p-6">
      <form onSubmit={begin} className="grid gap-3">
        <div>
          <label htmlFor={id} className="text-lg font-semibold text-balance">
            What do you care about?
          </label>
          {about === '' && (
            <p className="max-w-2xl text-soft text-pretty">
              One sentence is enough: you get a rule for X posts and web pages, and see what it would have caught. An
              address works, too.
            </p>
          )}
        </div>
        <div className="flex flex-col gap-2 sm:flex-row sm:items-start">
          <TextArea
            id={id}
            rows={2}
            autoFocus={isFocused}
            maxLength={2_000}
            value={text}
            placeholder="Tell me when a volcano erupts"
            className="text-base"
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (
                event.key === 'Enter' &&
                !event.shiftKey &&
                !event.ctrlKey &&
                !event.metaKey &&
                !event.nativeEvent.isComposing
              )
                begin(event);
            }}
          />
          <Button
            type="submit"
            // Another button makes a rule of a sentence that was drafted already.
            look={about !== '' && text.trim() === about ? 'plain' : 'primary'}
            className="sm:h-10"
            obstacle={text.trim() === '' ? 'Say in a sentence what you care about.' : undefined}
            icon={<Sparkles aria-hidden className="size-3.5" />}
          >
            {address === undefined ? 'Draft the rule' : 'See what can be watched'}
          </Button>
        </div>
      </form>
      {about === '' && <Ways hasOthers={!isAmongWays} />}
    </section>
  );
}

function Ways({ hasOthers }: { hasOthers: boolean }) {
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2 text-soft">
      <span>For instance</span>
      {EXAMPLES.map(({ id, name, intent }) => (
        <Link key={id} to="/rules/new" search={{ about: intent }} className={buttonClass('plain', 'small')}>
          {name}
        </Link>
      ))}
      {hasOthers && (
        <>
          <span className="hidden flex-1 sm:block" />
          <Link to="/rules/new" search={{ from: 'examples' }} className={buttonClass('quiet', 'small')}>
            Begin with examples
          </Link>
          <Link to="/rules/write" search={{}} className={buttonClass('quiet', 'small')}>
            Write it yourself
          </Link>
        </>
      )}
    </div>
  );
}

/** Shown to an account without rules: examples to try, which match events of the demo feed. */
import { Link } from '@tanstack/react-router';
import { ArrowRight, Plus } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { EXAMPLES } from './examples.ts';

export function FirstRule() {
  return (
    <section aria-labelledby="first-rule" className="rounded-lg border bg-surface p-5 sm:p-8">
      <h2 id="first-rule" className="text-lg font-semibold text-balance">
        Write your first rule
      </h2>
      <p className="mt-1 max-w-xl text-soft text-pretty">
        A rule says what to watch for, in the language of each platform. Choose an example: it opens in the editor, with
        a preview of its matches. Nothing is created until you click Create rule.
      </p>
      <ul className="mt-5 grid gap-3 lg:grid-cols-3">
        {EXAMPLES.map(({ id, name, intent, texts }) => (
          <li key={id} className="relative flex flex-col rounded-md border p-4 transition-colors hover:border-accent">
            <Link
              to="/rules/new"
              search={{ example: id }}
              className="flex items-center justify-between gap-2 font-medium after:absolute after:inset-0"
            >
              {name}
              <ArrowRight aria-hidden className="size-4 text-faint" />
            </Link>
            <p className="mt-0.5 mb-3 text-soft">{intent}</p>
            <dl className="grid gap-2 text-xs">
              {(['x', 'firehose'] as const).map((platform) => (
                <div key={platform}>
                  <dt className="text-faint">{PLATFORM_NAMES[platform]}</dt>
                  <dd className="font-mono break-words">{texts[platform]}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
      <Link to="/rules/new" search={{}} className={`mt-5 ${buttonClass()}`}>
        <Plus aria-hidden className="size-3.5" />
        Start from scratch
      </Link>
    </section>
  );
}

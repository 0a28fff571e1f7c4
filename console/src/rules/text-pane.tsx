/** One platform of a rule: the editor of its text, its diagnostics and its actions. */
import { ArrowLeftRight, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Language } from '../../../src/rules/language.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { figure } from '../ui/moment.ts';
import { PLATFORM_NAMES, PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { type Checked, check, otherThan } from './draft.ts';
import { SyntaxHelp } from './syntax-help.tsx';

const CodeEditor = lazy(() => import('./code-editor.tsx').then(({ CodeEditor: loaded }) => ({ default: loaded })));

const HINTS = {
  x: 'Example: (volcano OR lava) erupting lang:en -is:retweet',
  firehose: 'Example: title:volcano AND added:(lava OR eruption)',
};

export interface TextPaneProps {
  readonly language: Language;
  readonly text: string;
  readonly readOnly: boolean;
  /** The platform itself has refused this text. */
  readonly isRefused?: boolean;
  onChange(text: string): void;
  onSubmit(): void;
  onTranslate(): void;
  /** It is undefined if the platform cannot be removed. */
  onRemove: (() => void) | undefined;
  readonly children?: ReactNode;
}

export function TextPane({
  language,
  text,
  readOnly,
  isRefused = false,
  onChange,
  onSubmit,
  onTranslate,
  onRemove,
  children,
}: TextPaneProps) {
  const [helpIsOpen, setHelpIsOpen] = useState(false);
  const checked = check(language, text);
  const platform = language.name;
  const name = PLATFORM_NAMES[platform];
  const most = Number(language.help.limits['rule_length']);
  return (
    <Card
      title={name}
      flush
      aside={
        <>
          {isRefused ? <Badge tone="bad">Refused</Badge> : <Verdict checked={checked} />}
          {onRemove !== undefined && (
            <IconButton label={`Do not watch ${PLATFORM_WORDS[platform]}`} size="small" onClick={onRemove}>
              <Trash2 aria-hidden className="size-3.5" />
            </IconButton>
          )}
        </>
      }
    >
      <div className="focus-within:shadow-[inset_0_0_0_2px_var(--color-accent)]">
        <Suspense fallback={<Skeleton className="m-3 h-[3.25rem]" />}>
          <CodeEditor
            language={language}
            label={`Rule for ${PLATFORM_WORDS[platform]}`}
            hint={HINTS[platform]}
            value={text}
            readOnly={readOnly}
            onChange={onChange}
            onSubmit={onSubmit}
          />
        </Suspense>
      </div>
      {checked.diagnostics.length > 0 && (
        <div className="border-t">
          <DiagnosticList text={text} diagnostics={checked.diagnostics} onFix={onChange} />
        </div>
      )}
      {children}
      <footer className="flex flex-wrap items-center gap-2 border-t px-3 py-1.5">
        <span className={cx('tabular text-xs', text.length > most ? 'text-bad' : 'text-faint')}>
          {figure(text.trim().length)} / {figure(most)}
        </span>
        <span className="flex-1" />
        <Button size="small" look="quiet" onClick={() => setHelpIsOpen(true)}>
          Operators
        </Button>
        <Button
          size="small"
          look="quiet"
          disabled={!checked.isValid}
          icon={<ArrowLeftRight aria-hidden className="size-3.5" />}
          onClick={onTranslate}
        >
          Translate for {PLATFORM_WORDS[otherThan(platform)]}
        </Button>
      </footer>
      <SyntaxHelp help={language.help} open={helpIsOpen} onClose={() => setHelpIsOpen(false)} />
    </Card>
  );
}

function Verdict({ checked: { isEmpty, diagnostics } }: { checked: Checked }) {
  if (isEmpty) return <Badge>Empty</Badge>;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return <Badge tone="bad">{errors === 1 ? '1 error' : `${errors} errors`}</Badge>;
  const { length } = diagnostics;
  if (length > 0) return <Badge tone="warn">Valid, {length === 1 ? '1 warning' : `${length} warnings`}</Badge>;
  return <Badge tone="ok">Valid</Badge>;
}

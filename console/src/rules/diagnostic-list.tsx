/** The diagnostics of a text as a list, with a button for each fix. The editor underlines the same diagnostics. */
import { CircleAlert, TriangleAlert, WandSparkles } from 'lucide-react';
import type { Diagnostic } from '../../../src/rules/diagnostic.ts';
import { applyFix, describeFix } from '../../../src/rules/fix.ts';
import { Button } from '../ui/button.tsx';
import { SEVERITIES } from '../words/rules.ts';

/** How many diagnostics are listed at once. */
const SHOWN = 5;

export interface DiagnosticListProps {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  onFix(text: string): void;
}

export function DiagnosticList({ text, diagnostics, onFix }: DiagnosticListProps) {
  const more = diagnostics.length - SHOWN;
  return (
    <ul aria-label="Diagnostics" aria-live="polite" className="divide-y">
      {diagnostics.slice(0, SHOWN).map(({ code, severity, span, message, wording, fixes = [] }) => (
        <li key={`${code} ${span.start}`} className="flex flex-wrap items-start gap-2 px-3 py-2">
          {severity === 'error' ? (
            <CircleAlert role="img" aria-label={SEVERITIES.error.words} className="mt-0.5 size-4 shrink-0 text-bad" />
          ) : (
            <TriangleAlert
              role="img"
              aria-label={SEVERITIES.warning.words}
              className="mt-0.5 size-4 shrink-0 text-warn"
            />
          )}
          <p className="min-w-0 flex-1 basis-56 break-words">
            {ownWords(message, wording)}
            {wording !== undefined && <span className="block text-xs text-faint">The platform says: {wording}</span>}
          </p>
          {fixes.map((fix) => (
            <Button
              key={fix.text}
              size="small"
              icon={<WandSparkles aria-hidden className="size-3.5" />}
              aria-label={`Fix: ${describeFix(text, fix)}. ${message}`}
              title={applyFix(text, fix)}
              onClick={() => onFix(applyFix(text, fix))}
            >
              <span className="max-w-56 truncate">Fix: {describeFix(text, fix)}</span>
            </Button>
          ))}
        </li>
      ))}
      {more > 0 && <li className="px-3 py-2 text-soft">And {more} more.</li>}
    </ul>
  );
}

/** The sentence that says what to do, without the platform's own wording behind it. */
export const ownWords = (message: string, wording: string | undefined): string =>
  wording === undefined ? message : message.replace(/ (?:X|Firehose) says: .*$/s, '');

/** The rule translated for the other platform. Each clause shows whether its meaning was kept. */
import { useQuery } from '@tanstack/react-query';
import { translate } from '../../../src/rules/translate.ts';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { VERDICTS } from '../words/rules.ts';
import { otherThan } from './draft.ts';
import type { Languages } from './languages.ts';

export interface TranslateDialogProps {
  readonly languages: Languages;
  readonly from: Platform;
  readonly text: string;
  /** The other platform's current text, empty if the rule is not on it; undefined if the rule cannot be changed. */
  readonly present: string | undefined;
  onUse(text: string): void;
  onClose(): void;
}

/** The server tries rule and translation on recent events. */
const useMeasured = (platform: Platform, value: string, isValid: boolean) =>
  useQuery({
    queryKey: ['translation', platform, value],
    queryFn: ({ signal }) => client.rules.translate({ platform, value }, { signal }),
    select: ({ measured }) => measured?.summary,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isValid,
  });

export function TranslateDialog({ languages, from, text, present, onUse, onClose }: TranslateDialogProps) {
  const { query } = languages[from].parse(text.trim());
  const { data: measured } = useMeasured(from, text.trim(), query !== undefined);
  if (query === undefined) return undefined;
  const translation = translate(query, otherThan(from));
  const { text: translated } = translation;
  const lost = translation.clauses.filter(({ verdict }) => verdict !== 'exact').length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Translated for ${PLATFORM_WORDS[otherThan(from)]}`}
      about={lost === 0 ? 'The translation has exactly the same meaning.' : summary(lost, translation.clauses.length)}
      actions={
        <>
          {translated !== undefined && <CopyButton text={translated} size="usual" />}
          <span className="flex-1" />
          <Button onClick={onClose}>Close</Button>
          {translated !== undefined && present !== undefined && (
            <Button look="primary" onClick={() => onUse(translated)}>
              {present.trim() === '' ? 'Use translation' : 'Replace existing text'}
            </Button>
          )}
        </>
      }
    >
      {translated === undefined ? (
        <p className="text-bad">No part of this rule can be translated.</p>
      ) : (
        <code className="block rounded-md border bg-sunken px-3 py-2 font-mono text-sm break-words whitespace-pre-wrap">
          {translated}
        </code>
      )}
      {measured !== undefined && <p className="mt-3 text-soft">{measured}</p>}
      {present === undefined && (
        <p className="mt-3 text-soft">Your key is read only, so you can only copy this text.</p>
      )}
      <ul aria-label="Clauses" className="mt-3 divide-y">
        {translation.clauses.map(({ clause, becomes, verdict, reason }, place) => (
          <li key={place} className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-2 py-2">
            <div>
              <Badge tone={VERDICTS[verdict].tone} title={VERDICTS[verdict].about}>
                {VERDICTS[verdict].words}
              </Badge>
            </div>
            <div>
              <p className="font-mono text-xs leading-5 break-words">
                {clause}
                {becomes !== undefined && becomes !== clause && (
                  <>
                    <span className="text-faint"> → </span>
                    {becomes === '' ? (
                      <span className="font-sans text-soft">always true on this platform</span>
                    ) : (
                      becomes
                    )}
                  </>
                )}
              </p>
              <p className="text-soft">{sentence(reason)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const summary = (lost: number, all: number): string =>
  `${lost} of ${all} ${all === 1 ? 'clause' : 'clauses'} could not be translated exactly.`;

const sentence = (reason: string): string =>
  reason === '' ? '' : `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}.`;

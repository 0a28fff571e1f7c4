/** The entries of the audit log in words. */
import type { Change } from '../data/queries.ts';
import { CHANGED_BY, CHANGES } from '../words/access.ts';

const FIELDS: Readonly<Record<string, string>> = { x: 'text for X posts', firehose: 'text for web pages' };

/** "Rule changed: name, text for X posts". */
export function changeWords({ what, before, after }: Change): string {
  const words = Object.hasOwn(CHANGES, what) ? CHANGES[what as keyof typeof CHANGES] : what;
  if (!words.endsWith(' changed')) return words;
  if (after?.['paused'] === true) return words.replace(/changed$/, 'paused');
  if (after?.['paused'] === false && Object.keys(after).length === 1) return words.replace(/changed$/, 'resumed');
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.length === 0
    ? words
    : `${words}: ${fields.map((name) => FIELDS[name] ?? name.replaceAll('_', ' ')).join(', ')}`;
}

export function ChangeWho({ change: { by } }: { change: Pick<Change, 'by'> }) {
  return (
    <>
      by {CHANGED_BY[by.kind].words}
      {by.key_name !== undefined && ` (${by.key_name})`}
    </>
  );
}

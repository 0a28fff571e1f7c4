/** The entries of the audit log in words. */
import type { Change } from '../data/queries.ts';

const KINDS: Readonly<Record<string, string>> = {
  rule: 'Rule',
  webhook: 'Webhook',
  key: 'Key',
  grant: 'Connected agent',
  account: 'Account',
};

const BY = {
  key: 'a program',
  session: 'a person in the console',
  grant: 'an agent',
  operator: 'the operator, on the command line',
  system: 'Sluice itself',
} as const satisfies Record<Change['by']['kind'], string>;

const FIELDS: Readonly<Record<string, string>> = { x: 'text for X posts', firehose: 'text for web pages' };

/** "Rule changed: name, text for X posts". */
export function changeWords({ what, before, after }: Change): string {
  const [kind = '', act = ''] = what.split('.', 2);
  const subject = `${KINDS[kind] ?? kind} ${act}`;
  if (act !== 'changed') return subject;
  if (after?.['paused'] === true) return `${KINDS[kind] ?? kind} paused`;
  if (after?.['paused'] === false && Object.keys(after).length === 1) return `${KINDS[kind] ?? kind} resumed`;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.length === 0
    ? subject
    : `${subject}: ${fields.map((name) => FIELDS[name] ?? name.replaceAll('_', ' ')).join(', ')}`;
}

export function ChangeWho({ change: { by } }: { change: Change }) {
  return (
    <>
      by {BY[by.kind]}
      {by.key_name !== undefined && ` (${by.key_name})`}
    </>
  );
}

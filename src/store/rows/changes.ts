/** Rows of the audit log. */
import type { Change } from '../../domain/change.ts';
import type { ChangeQuery } from '../store/changes.ts';
import { parseColumn } from './texts.ts';

export interface ChangeRow {
  readonly number: number;
  readonly at: number;
  readonly made_by: string;
  readonly what: Change['what'];
  readonly subject: string;
  readonly before: string | null;
  readonly after: string | null;
}

export const changeColumns = ({ at, by, what, id, before, after }: Change) => ({
  at: at.getTime(),
  by: JSON.stringify(by),
  kind: what.slice(0, what.indexOf('.')),
  what,
  subject: id,
  before: before === undefined ? null : JSON.stringify(before),
  after: after === undefined ? null : JSON.stringify(after),
});

type Fields = NonNullable<Change['before']>;

const changeOf = (row: ChangeRow): Change => ({
  at: new Date(row.at),
  by: parseColumn<Change['by']>(row.made_by),
  what: row.what,
  id: row.subject,
  ...(row.before === null ? {} : { before: parseColumn<Fields>(row.before) }),
  ...(row.after === null ? {} : { after: parseColumn<Fields>(row.after) }),
});

/** One more row than the limit says that there is a next page. */
export function changePage(rows: readonly ChangeRow[], limit: number) {
  const page = rows.slice(0, limit);
  return { changes: page.map(changeOf), next: rows.length > limit ? page.at(-1)!.number : undefined };
}

/** The index that a question walks: of a thing, of a kind, or of the whole account. */
export const changeFilter = ({ id, kind }: ChangeQuery): { column: 'subject' | 'kind'; value: string } | undefined => {
  if (id !== undefined) return { column: 'subject', value: id };
  return kind === undefined ? undefined : { column: 'kind', value: kind };
};

/** What is known of a webhook before it is disabled. */
export interface DisabledRow {
  readonly id: string;
  readonly status: string;
  readonly account: string;
}

export const disabledChange = ({ id, status }: DisabledRow, reason: string, at: Date): Change => ({
  at,
  by: { kind: 'system' },
  what: 'webhook.changed',
  id,
  before: { status, reason: null },
  after: { status: 'disabled', reason },
});

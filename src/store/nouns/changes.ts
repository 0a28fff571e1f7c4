/** The audit log. Each change is written with what it is about, in one transaction, and goes when matches of its time go. */
import type { CHANGE_KINDS, Change } from '../../domain/change.ts';
import { type Db, deleteSlice } from '../db.ts';
import { parseColumn } from '../rows/texts.ts';

export interface ChangeStore {
  /** The changes of an account, newest first. */
  changes(query: ChangeQuery): Promise<{ changes: Change[]; next: number | undefined }>;
}

export interface ChangeQuery {
  readonly accountId: string;
  readonly kind?: (typeof CHANGE_KINDS)[number];
  /** Changes of one thing. */
  readonly id?: string;
  readonly since?: Date;
  readonly until?: Date;
  /** Changes older than this one. */
  readonly before?: number;
  readonly limit: number;
}

interface ChangeRow {
  readonly number: number;
  readonly at: number;
  readonly made_by: string;
  readonly what: Change['what'];
  readonly subject: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Changes that go in one slice of removal. */
const OLD_SLICE = 1_000;

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

export const changeReads = (db: Db): ChangeStore => ({
  async changes(query) {
    const { accountId, kind, since, until, before, limit } = query;
    const filter = changeFilter(query);
    const rows = await db.rows<ChangeRow>(
      `SELECT number, at, made_by, what, subject, before, after
       FROM changes /*sqlite INDEXED BY changes_of_${filter?.column ?? 'account'} */
       WHERE account = (SELECT number FROM accounts WHERE id = $1) AND number < $2 AND at >= $3 AND at < $4
         AND ($5::text IS NULL OR kind = $5) ${filter ? `AND ${filter.column} = $7` : ''}
       ORDER BY number DESC LIMIT $6`,
      [
        accountId,
        before ?? Number.MAX_SAFE_INTEGER,
        since?.getTime() ?? 0,
        until?.getTime() ?? Number.MAX_SAFE_INTEGER,
        kind ?? null,
        limit + 1,
        ...(filter ? [filter.value] : []),
      ],
    );
    return changePage(rows, limit);
  },
});

export const changeColumns = ({ at, by, what, id, before, after }: Change) => [
  at,
  JSON.stringify(by),
  what.slice(0, what.indexOf('.')),
  what,
  id,
  before === undefined ? null : JSON.stringify(before),
  after === undefined ? null : JSON.stringify(after),
];

/** Without a change there is nothing to note: tests and repairs leave it out. */
export async function noteChange(db: Db, accountId: string, change: Change | undefined): Promise<void> {
  if (change === undefined) return;
  await db.run(
    `INSERT INTO changes (account, at, made_by, kind, what, subject, before, after)
     VALUES ((SELECT number FROM accounts WHERE id = $1), $2, $3, $4, $5, $6, $7, $8)`,
    [accountId, ...changeColumns(change)],
  );
}

/** Notes a change that took place, and answers whether it did. */
export async function noted(db: Db, accountId: string, change: Change | undefined, isDone: boolean): Promise<boolean> {
  if (isDone) await noteChange(db, accountId, change);
  return isDone;
}

export const removeChanges = async (db: Db, before: number): Promise<boolean> =>
  (await deleteSlice(db, 'changes', { key: 'number', of: 'at < $1 ORDER BY at', limit: OLD_SLICE }, [before])) > 0;

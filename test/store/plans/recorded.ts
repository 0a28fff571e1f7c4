/** A database on PostgreSQL that explains statements, with their values, before it runs them. */
import type { Db, Value } from '../../../src/store/db.ts';
import { type Database, each } from '../../../src/store/postgres/connection.ts';

export interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

export interface Explained {
  readonly sql: string;
  readonly plan: Node;
}

const EXPLAINED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/;

/**
 * Housekeeping runs the same statements in hundreds of slices: all of the first ones are explained, and then a part, up to the
 * last, which is enough to see one that looks at more and more.
 */
const EACH_UNTIL = 40;
const THEN_EVERY = 10;

class Undone extends Error {}

export function explaining(database: Database): { database: Database; explained: Explained[] } {
  const explained: Explained[] = [];
  const times = new Map<string, number>();
  const isExplained = (text: string): boolean => {
    if (!EXPLAINED.test(text)) return false;
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return time <= EACH_UNTIL || time % THEN_EVERY === 0;
  };

  async function explain(db: Db, text: string, values: readonly Value[] = []): Promise<void> {
    const [row] = await db.rows<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    explained.push({ sql: text.replaceAll(/\s+/g, ' '), plan: row!['QUERY PLAN'][0]!.Plan });
  }
  /** The effect of the explained statement is undone before it runs. */
  const inside = (db: Db): Db => {
    const first = async (text: string, values?: readonly Value[]): Promise<void> => {
      if (!isExplained(text)) return;
      await db.run('SAVEPOINT explained');
      await explain(db, text, values);
      await db.run('ROLLBACK TO SAVEPOINT explained');
    };
    return afterwards(first, db);
  };
  const alone = async (text: string, values?: readonly Value[]): Promise<void> => {
    if (!isExplained(text)) return;
    const undone = database.transaction(async (db) => {
      await explain(db, text, values);
      throw new Undone();
    });
    await undone.catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  };
  return {
    explained,
    database: {
      ...database,
      ...afterwards(alone, database),
      transaction: (work) => database.transaction((db) => work(inside(db))),
      pipelined: (work) =>
        database.transaction((db) => {
          const { db: inOrder, done } = oneAfterAnother(inside(db));
          return work(inOrder, done);
        }),
    },
  };
}

/** In the order in which they were asked for, as the server runs what it is sent in one piece. */
function oneAfterAnother(db: Db): { db: Db; done: () => Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  const ordered = each(db, (statement) => {
    const own = last.then(statement);
    last = own.catch(() => {});
    return own;
  });
  return { db: ordered, done: async () => void (await last) };
}

const afterwards = (first: (text: string, values?: readonly Value[]) => Promise<void>, db: Db): Db =>
  each(db, async (statement, text, values) => {
    await first(text, values);
    return statement();
  });

/** All nodes of a plan. */
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const lookedAt = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops'];

const sumOf = (plan: Node, counts: (node: Node) => boolean): number =>
  nodesOf(plan)
    .filter(counts)
    .reduce((sum, node) => sum + lookedAt(node), 0);

/** How many rows of tables a plan has looked at. */
export const rowsVisited = (plan: Node): number =>
  sumOf(plan, (node) => node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan'));

/** How many of them by going through a table from end to end. */
export const rowsScanned = (plan: Node): number => sumOf(plan, (node) => node['Node Type'] === 'Seq Scan');

/**
 * The percolator: given queries and an event, which queries match. It matches the live rules, of one platform each, from analysed
 * events or straight from the bytes of their lines. It keeps programs, not queries: who wants an explanation brings the query along.
 */
import { characterTables } from './character-tables.ts';
import { CoreIndex, type CoreOptions } from './core-index.ts';
import { pageTables } from './page-tables.ts';

export type CoreEngine = CoreIndex;

export const createCoreEngine = (options: CoreOptions = {}): CoreEngine => new CoreIndex(options);

/** Makes ahead what the first line of each platform needs: at once it would take longer than the event loop may be held up. */
export function* makeCoreTables(): Generator<number, void> {
  yield* characterTables.ahead();
  yield* pageTables.ahead();
}

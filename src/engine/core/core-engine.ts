/**
 * The engine on the core: the same contract as `createEngine`, the same matches, and events straight from the bytes of their
 * lines. The live rules are matched by it.
 */

import { characterTables } from './character-tables.ts';
import { CoreIndex, type CoreOptions } from './core-index.ts';
import type { Engine } from './engine-contract.ts';
import { pageTables } from './page-tables.ts';

export type LineEngine = Engine &
  Pick<
    CoreIndex,
    | 'matchLine'
    | 'walkLine'
    | 'matchWalked'
    | 'walkedId'
    | 'keptOf'
    | 'lineCounts'
    | 'idOf'
    | 'numberOf'
    | 'numbersEnd'
    | 'image'
    | 'restore'
    | 'sample'
    | 'matchers'
  >;

export const createCoreEngine = (options: CoreOptions = {}): LineEngine => new CoreIndex(options);

/** Makes ahead what the first line of each platform needs: at once it would take longer than the event loop may be held up. */
export function* makeCoreTables(): Generator<number, void> {
  yield* characterTables.ahead();
  yield* pageTables.ahead();
}

/**
 * The engine on the core: the same contract as `createEngine`, the same matches, and events straight from the bytes of their
 * lines. The live rules are matched by it.
 */
import type { Engine } from '../index/engine-contract.ts';
import { CoreIndex, type CoreOptions } from './core-index.ts';

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
  >;

export const createCoreEngine = (options: CoreOptions = {}): LineEngine => new CoreIndex(options);

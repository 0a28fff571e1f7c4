/**
 * The engine on the core: the same contract as `createEngine`, the same matches, and events straight from the bytes of their
 * lines. It is not in charge yet: benchmarks and tests use it beside the index in TypeScript.
 */
import type { Engine } from '../index/engine-contract.ts';
import { CoreIndex, type CoreOptions } from './core-index.ts';

export type LineEngine = Engine & Pick<CoreIndex, 'matchLine' | 'lineCounts' | 'idOf'>;

export const createCoreEngine = (options: CoreOptions = {}): LineEngine => new CoreIndex(options);

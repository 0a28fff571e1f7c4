/**
 * The engine on the core: the same contract as `createEngine`, the same matches. It is not in charge yet: benchmarks and tests
 * use it beside the index in TypeScript.
 */
import type { Engine, EngineOptions } from '../index/engine-contract.ts';
import { CoreIndex } from './core-index.ts';

export const createCoreEngine = (options: EngineOptions = {}): Engine => new CoreIndex(options);

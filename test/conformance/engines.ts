/** The paths that must find the same matches: each suite of the engine runs on all of them. The scan is their oracle. */
import { createCoreEngine } from '../../src/engine/core/core-engine.ts';
import { createEngine } from '../../src/engine/index/engine.ts';

export const ENGINES = [
  ['the index', createEngine],
  ['the core', createCoreEngine],
] as const;

/**
 * The percolator: given queries and an event, which queries match. Pure and in memory; it does no I/O and knows no rule
 * language. It is an index, not a loop: an event's words lead to the few rules anchored on them (`anchor.ts`), most of
 * those die on their witness (`postings.ts`), and what is left is evaluated exactly (`evaluate.ts`). `scan.ts` is the
 * same without an index, and says what is right.
 *
 * Nothing per rule is an object but its id: programs, postings and terms are integers in chunks (`arena.ts`). One engine
 * holds the rules of one platform. It keeps programs, not queries: who wants an explanation brings the query along.
 */
import type { Engine, EngineOptions } from './engine-contract.ts';
import { RuleIndex } from './rule-index.ts';

export type { Engine, MatchReport } from './engine-contract.ts';

export const createEngine = (options: EngineOptions = {}): Engine => new RuleIndex(options);

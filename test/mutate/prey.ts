/** A mutant on its way through the tests. */
import type { Mutant } from './mutant.ts';
import type { Plan, Test } from './plan.ts';
import type { Kill } from './prove.ts';

export interface Prey {
  readonly number: number;
  readonly mutant: Mutant;
  readonly plan: Plan;
  /** Tests that it has not met, in their order. */
  readonly left: Set<Test>;
  /** Tests that it must meet in a run of their own. */
  readonly alone: Set<Test>;
  kill?: Kill | undefined;
}

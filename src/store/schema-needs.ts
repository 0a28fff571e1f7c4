/**
 * The tables of a release serve the program of the release before, too: both work on them during an upgrade. So steps add, and
 * what a release no longer reads is taken away by the one after it. A step that breaks this says which step a program must know
 * to go on, and the store keeps the number of that step. `CONTRIBUTING.md` has the rule.
 */
export interface SchemaStep {
  readonly name: string;
  readonly sql: string;
  /** The step that a program must know to work on the tables that this one leaves; itself where none of before can. */
  readonly needs?: string;
}

/** The schema that a program knows, and the one that the tables ask for. */
export interface SchemaNumbers {
  /** The number of the last step that this program knows, and writes by. */
  readonly known: number;
  /** The number of the step that a program must know. */
  readonly needed: number;
}

/** Under which name `state` has it. */
export const NEEDED = 'schema_needed';

/** The number of the step that these steps ask for. The first of them has the number `first`. */
export function neededAfter(steps: readonly SchemaStep[], first: number): number {
  const numbers = steps.map(
    ({ needs }) =>
      first +
      Math.max(
        0,
        steps.findIndex(({ name }) => name === needs),
      ),
  );
  return Math.max(first, ...numbers);
}

export const newerSchema = ({ known, needed }: SchemaNumbers): string =>
  `The tables need schema ${needed}; this program knows schemas up to ${known}. Use a newer program.`;

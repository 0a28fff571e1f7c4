/** Tells a caller that may not use every tool which are missing, why, and what to do instead. */
import type { Caller } from '../service/access/caller.ts';
import { mayUse } from '../service/perform/perform.ts';
import { TOOLS } from './tools.ts';

export interface MissingTools {
  /** They change things, and the key only reads. */
  readonly forWriters: readonly string[];
  /** They look at the whole account, and the grant is for some rules. */
  readonly forAllRules: readonly string[];
}

export function missingTools(caller: Caller): MissingTools {
  const missing = TOOLS.map(({ operation }) => operation).filter((operation) => !mayUse(operation, caller));
  const isForWriters = ({ access }: { readonly access: string }) => access !== 'read' && caller.key.scope === 'read';
  return {
    forWriters: missing.filter(isForWriters).map(({ name }) => name),
    forAllRules: missing.filter((operation) => !isForWriters(operation)).map(({ name }) => name),
  };
}

const ONLY_READS = 'This key only reads';
const SOME_RULES = 'This agent is limited to some rules of the account';

/** For a model that has not called anything yet: nothing where no tool is missing. */
export const sayMissing = ({ forWriters, forAllRules }: MissingTools): string[] => [
  ...(forWriters.length === 0
    ? []
    : [
        `${ONLY_READS}, so there is no ${forWriters.join(', ')}: say what you would change, and let the person do it or give you a key of scope full.`,
      ]),
  ...(forAllRules.length === 0 ? [] : [`${SOME_RULES}, so there is no ${forAllRules.join(', ')}.`]),
];

/** For one that called a tool all the same; undefined for a name that is no tool. */
export function whyMissing({ forWriters, forAllRules }: MissingTools, tool: string): string | undefined {
  if (forWriters.includes(tool)) return `${ONLY_READS}, and ${tool} needs one of scope \`full\`.`;
  return forAllRules.includes(tool) ? `${SOME_RULES}, and ${tool} needs all of them.` : undefined;
}

/** Wherever a tool takes the id of a rule, it also takes the name: people say the name, and a model repeats it. */
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { invalidArgument } from '../service/errors.ts';
import { rulesSeenBy, unknownRule } from '../service/rules/read-rules.ts';

/** Ids that an error about an ambiguous name lists. */
const MAX_LISTED = 5;

/** Every id begins like this. A name that does so too is taken for an id. */
export const isRuleId = (idOrName: string): boolean => idOrName.startsWith('rule_');

/** Finds the ids of rules by their name, in upper or lower case; those that have it exactly, where there are any. */
type RuleFinder = (name: string) => Promise<readonly string[]>;

/** However many names are looked for, the rules of the account are read once. */
export function ruleFinder(context: Context, caller: Caller): RuleFinder {
  let reading: ReturnType<typeof namesOf> | undefined;
  return async (name) => {
    reading ??= namesOf(context, caller);
    const all = await reading;
    const exact = all.filter((rule) => rule.name === name);
    const alike = inLowerCase(name);
    return (exact.length > 0 ? exact : all.filter((rule) => rule.alike === alike)).map(({ id }) => id);
  };
}

async function namesOf(context: Context, caller: Caller) {
  const names: { readonly id: string; readonly name: string; readonly alike: string }[] = [];
  for await (const rules of rulesSeenBy(context, caller))
    for (const { id, name } of rules) names.push({ id, name, alike: inLowerCase(name) });
  return names;
}

const inLowerCase = (name: string): string => name.trim().toLowerCase();

export async function namedRuleId(
  context: Context,
  caller: Caller,
  idOrName: string,
  find = ruleFinder(context, caller),
): Promise<string> {
  if (isRuleId(idOrName)) return idOrName;
  const found = await find(idOrName);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknownRule();
  const ids = found.slice(0, MAX_LISTED).join(', ');
  throw invalidArgument([{ path: 'rule_id', message: `${found.length} rules have this name. Give an id: ${ids}.` }]);
}

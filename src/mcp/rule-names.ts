/** Wherever a tool takes the id of a rule, it also takes the name: people say the name, and a model repeats it. */
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { invalidArgument } from '../service/errors.ts';
import { rulesSeenBy, unknownRule } from '../service/rules/read-rules.ts';

/** Ids that an error about an ambiguous name lists. */
const MAX_LISTED = 5;

/** Every id begins like this. A name that does so too is taken for an id. */
export const isRuleId = (idOrName: string): boolean => idOrName.startsWith('rule_');

/** The rules with this name, in upper or lower case; those that have it exactly, where there are any. */
export async function rulesNamed(context: Context, caller: Caller, name: string): Promise<string[]> {
  const exact: string[] = [];
  const alike: string[] = [];
  const wanted = name.trim().toLowerCase();
  for await (const rules of rulesSeenBy(context, caller)) {
    for (const rule of rules) {
      if (rule.name === name) exact.push(rule.id);
      else if (rule.name.trim().toLowerCase() === wanted) alike.push(rule.id);
    }
  }
  return exact.length > 0 ? exact : alike;
}

export async function namedRuleId(context: Context, caller: Caller, idOrName: string): Promise<string> {
  if (isRuleId(idOrName)) return idOrName;
  const found = await rulesNamed(context, caller, idOrName);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknownRule();
  const ids = found.slice(0, MAX_LISTED).join(', ');
  throw invalidArgument([{ path: 'rule_id', message: `${found.length} rules have this name. Give an id: ${ids}.` }]);
}

/** Wherever a tool takes the id of a rule, it also takes the name: people say the name, and a model repeats it. */
import type { Caller } from '../service/access/caller.ts';
import type { Context } from '../service/context.ts';
import { invalidArgument } from '../service/errors.ts';
import { rulesSeenBy, unknownRule } from '../service/rules/read-rules.ts';

/** Ids that an error about an ambiguous name lists. */
const MAX_LISTED = 5;

/** Every id begins like this. A name that does so too is taken for an id. */
export const isRuleId = (idOrName: string): boolean => idOrName.startsWith('rule_');

/** The id of the one rule that has this name, in upper or lower case; of several, the one that has it exactly. */
export async function namedRuleId(context: Context, caller: Caller, idOrName: string): Promise<string> {
  if (isRuleId(idOrName)) return idOrName;
  const exact: string[] = [];
  const alike: string[] = [];
  const wanted = idOrName.trim().toLowerCase();
  for await (const rules of rulesSeenBy(context, caller)) {
    for (const { id, name } of rules) {
      if (name === idOrName) exact.push(id);
      else if (name.trim().toLowerCase() === wanted) alike.push(id);
    }
  }
  const found = exact.length > 0 ? exact : alike;
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw unknownRule();
  const ids = found.slice(0, MAX_LISTED).join(', ');
  throw invalidArgument([{ path: 'rule_id', message: `${found.length} rules have this name. Give an id: ${ids}.` }]);
}

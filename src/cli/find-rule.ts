/** Rules on the command line may be named as people know them. */
import type { Client, Rule } from '../../packages/client/src/index.ts';
import { CliError } from './output.ts';

/** A rule by its id, or by its name where only one rule has it. */
export async function findRule(client: Client, idOrName: string): Promise<Rule> {
  if (idOrName.startsWith('rule_')) return client.rules.get({ rule_id: idOrName });
  const { rules } = await client.rules.list();
  const named = rules.filter(({ name }) => name === idOrName);
  if (named.length === 1) return named[0]!;
  if (named.length === 0) throw new CliError(`There is no rule "${idOrName}". \`sluice rules list\` shows all.`);
  throw new CliError(
    `${named.length} rules are named "${idOrName}". Give an id: ${named.map(({ id }) => id).join(', ')}.`,
  );
}

export const ruleIdOf = async (client: Client, idOrName: string): Promise<string> =>
  idOrName.startsWith('rule_') ? idOrName : (await findRule(client, idOrName)).id;

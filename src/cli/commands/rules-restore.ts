/** `sluice rules restore`: takes deleted rules back, with their matches. */
import { Command, Option } from 'commander';
import type { Client, Rule } from '../../../packages/client/src/index.ts';
import { connectServer } from '../connect.ts';
import { CliError, counted, plain, printJson, table } from '../output.ts';

export const restoreRulesCommand = (): Command =>
  new Command('restore')
    .argument('<rules...>', 'ids or names of deleted rules')
    .description('take deleted rules back, with their matches')
    .addOption(new Option('--json', 'print JSON'))
    .action(restore);

async function restore(idsOrNames: string[], { json }: { json?: true }): Promise<void> {
  const { client } = connectServer();
  // All are found before any is restored: a typing error in the last restores nothing.
  const deleted = await deletedRules(client);
  const wanted = [...new Set(idsOrNames)].map((idOrName) => findDeleted(deleted, idOrName));
  const restored: Rule[] = [];
  for (const { id } of wanted) restored.push(await client.rules.restore({ rule_id: id }));
  if (json) return printJson({ restored: restored.map(({ id }) => id) });
  const names = restored.map(({ name }) => `"${plain(name)}"`).join(', ');
  console.log(`${counted(restored.length, 'rule')} restored: ${names}.`);
}

const deletedRules = async (client: Client): Promise<Rule[]> => (await client.rules.list({ deleted: true })).rules;

function findDeleted(deleted: readonly Rule[], idOrName: string): Rule {
  const found = deleted.filter(({ id, name }) => id === idOrName || name === idOrName);
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new CliError(`No deleted rule "${idOrName}" can be restored. \`sluice rules list --deleted\` shows all.`);
  throw new CliError(
    `${found.length} deleted rules are named "${idOrName}". Give an id: ${found.map(({ id }) => id).join(', ')}.`,
  );
}

/** `sluice rules list --deleted`. */
export async function listDeleted(client: Client, { json }: { json?: true }): Promise<void> {
  const rules = await deletedRules(client);
  if (json) return printJson({ rules });
  if (rules.length === 0) return console.log('There are no deleted rules that can be restored.');
  const rows = rules.map(({ id, name, deleted_at = '', restorable_until = '' }) => [
    id,
    plain(name, 30),
    deleted_at,
    restorable_until,
  ]);
  console.log(table(['ID', 'NAME', 'DELETED', 'RESTORABLE UNTIL'], rows));
}

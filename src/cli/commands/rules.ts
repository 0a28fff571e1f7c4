/** `sluice rules`: the rules of the account that the key belongs to. */
import { Command, Option } from 'commander';
import type { Client, Rule } from '../../../packages/client/src/index.ts';
import { ALERT_KINDS } from '../../domain/alert.ts';
import { connectServer } from '../connect.ts';
import { findRule } from '../find-rule.ts';
import { counted, facts, plain, printJson, table } from '../output.ts';
import { confirmed } from '../terminal.ts';
import { ruleAlertsCommand } from './alerts.ts';
import { createRuleCommand } from './rules-create.ts';
import { applyRulesCommand, exportRulesCommand, planRulesCommand, testRulesCommand } from './rules-file.ts';
import { listDeleted, restoreRulesCommand } from './rules-restore.ts';
import { pauseRulesCommand, resumeRulesCommand, updateRuleCommand } from './rules-update.ts';

export function rulesCommand(): Command {
  const json = () => new Option('--json', 'print JSON');
  return new Command('rules')
    .description('create, see, change and delete rules, or keep them in a file')
    .addCommand(createRuleCommand())
    .addCommand(
      new Command('list')
        .description('list all rules, oldest first')
        .option('--deleted', 'those that can be restored, the last deletion first')
        .addOption(json())
        .action(list),
    )
    .addCommand(
      new Command('show')
        .argument('<rule>', 'id or name')
        .description('show all about one rule')
        .addOption(json())
        .action(show),
    )
    .addCommand(updateRuleCommand())
    .addCommand(pauseRulesCommand())
    .addCommand(resumeRulesCommand())
    .addCommand(
      new Command('delete')
        .argument('<rules...>', 'ids or names')
        .description('delete rules, with their matches; `sluice rules restore` takes them back for a week')
        .option('-y, --yes', 'do not ask')
        .addOption(json())
        .action(remove),
    )
    .addCommand(restoreRulesCommand())
    .addCommand(ruleAlertsCommand())
    .addCommand(exportRulesCommand())
    .addCommand(planRulesCommand())
    .addCommand(applyRulesCommand())
    .addCommand(testRulesCommand());
}

async function list({ json, deleted }: { json?: true; deleted?: true }): Promise<void> {
  const { client } = connectServer();
  if (deleted) return listDeleted(client, { ...(json && { json }) });
  const answer = await client.rules.list();
  if (json) return printJson(answer);
  if (answer.rules.length === 0) return console.log('There are no rules yet. `sluice rules create` makes one.');
  const rows = answer.rules.flatMap((rule) =>
    Object.entries(rule.platforms).map(([platform, held]) => [
      rule.id,
      plain(rule.name, 30),
      platform,
      rule.paused ? 'paused' : held.status,
      String(held.match_count),
      plain(held.translated_value),
    ]),
  );
  console.log(table(['ID', 'NAME', 'PLATFORM', 'STATUS', 'MATCHES', 'RULE'], rows));
}

async function show(idOrName: string, { json }: { json?: true }): Promise<void> {
  const rule = await findRule(connectServer().client, idOrName);
  if (json) return printJson(rule);
  console.log(
    facts([
      ['id', rule.id],
      ['name', plain(rule.name, 200)],
      ['intent', plain(rule.intent, 2_000)],
      ['created', rule.created_at],
      ['version', String(rule.version)],
      ['paused', rule.paused ? 'yes' : 'no'],
      ['alerts', ALERT_KINDS.filter((kind) => rule.alerts[kind]).join(', ') || 'none'],
    ]),
  );
  for (const [platform, held] of Object.entries(rule.platforms)) {
    const flags = Object.entries(held.options ?? {}).map(([name, value]) => `${name}: ${value}`);
    console.log(
      `\n${platform}\n${facts([
        ['  rule', plain(held.translated_value, 4_096)],
        ['  status', held.error === undefined ? held.status : `${held.status}: ${plain(held.error, 500)}`],
        ['  matches', held.last_match_at === null ? 'none' : `${held.match_count}, the last ${held.last_match_at}`],
        ...(flags.length > 0 ? [['  options', flags.join(', ')] as const] : []),
      ])}`,
    );
  }
}

async function remove(idsOrNames: string[], { yes, json }: { yes?: true; json?: true }): Promise<void> {
  const { client } = connectServer();
  // All are found before any is deleted: a typing error in the last deletes nothing.
  const rules = await Promise.all([...new Set(idsOrNames)].map((name) => findRule(client, name)));
  const names = rules.map(({ name }) => `"${plain(name)}"`).join(', ');
  if (!(await confirmed(`Delete ${names} with all matches?`, yes))) return console.log('Nothing was done.');
  await deleteAll(client, rules);
  if (json) printJson({ deleted: rules.map(({ id }) => id) });
  else console.log(`${counted(rules.length, 'rule')} deleted: ${names}.`);
}

async function deleteAll(client: Client, rules: readonly Rule[]): Promise<void> {
  for (const { id } of rules) await client.rules.delete({ rule_id: id });
}

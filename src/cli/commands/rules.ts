/** `sluice rules`: the rules of the account that the key belongs to. */
import { Command, Option } from 'commander';
import type { Client, Rule } from '../../../packages/client/src/index.ts';
import { ALERT_KINDS } from '../../domain/rule.ts';
import { connectServer, findRule } from '../connect.ts';
import { CliError, counted, facts, plain, printJson, table } from '../output.ts';
import type { RuleFileOptions } from '../rule-file-actions.ts';
import { confirmed } from '../terminal.ts';
import { ruleAlertsCommand } from './alerts.ts';
import { createRuleCommand } from './rules-create.ts';
import { pauseRulesCommand, resumeRulesCommand, updateRuleCommand } from './rules-update.ts';

export function rulesCommand(): Command {
  const jsonOption = () => new Option('--json', 'print JSON');
  return new Command('rules')
    .description('create, see, change and delete rules, or keep them in a file')
    .addCommand(createRuleCommand())
    .addCommand(
      new Command('list')
        .description('list all rules, oldest first')
        .option('--deleted', 'those that can be restored, the last deletion first')
        .addOption(jsonOption())
        .action(list),
    )
    .addCommand(
      new Command('show')
        .argument('<rule>', 'id or name')
        .description('show all about one rule')
        .addOption(jsonOption())
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
        .addOption(jsonOption())
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
      rule.paused ? 'paused' : held.can_match === false ? 'never matches' : held.status,
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
        ...(held.reason === undefined ? [] : [['  never matches', plain(held.reason, 500)] as const]),
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

const keep = () => new Option('--keep', 'leave rules alone that are not in the file');
const replace = () =>
  new Option('--replace <name...>', 'delete these rules and make them anew: their ids, matches and webhooks go');
const jsonOption = () => new Option('--json', 'print JSON');
const FILE = ['<file>', 'YAML, as `sluice rules export` writes it; "-" is standard input'] as const;
/** Reading YAML takes as many files as all the rest of the command. */
const actions = () => import('../rule-file-actions.ts');

function exportRulesCommand(): Command {
  return new Command('export')
    .argument('[file]', 'where to write; standard output when it is left out')
    .description('write all rules as YAML')
    .addOption(new Option('--json', 'print JSON, as List Rules answers'))
    .action(async (file: string | undefined, options: RuleFileOptions) => (await actions()).exportRules(file, options));
}

function testRulesCommand(): Command {
  return new Command('test')
    .argument(...FILE)
    .description('try the rules of a file on their own samples, without a server')
    .addOption(jsonOption())
    .addHelpText('after', '\nExit status: 0 when every sample is as the file says, 1 when one is not.')
    .action(async (path: string, options: RuleFileOptions) => (await actions()).testRuleFile(path, options));
}

function planRulesCommand(): Command {
  return new Command('plan')
    .argument(...FILE)
    .description('show what `apply` would change')
    .addOption(keep())
    .addOption(replace())
    .option('--exit-code', 'end with status 3 when there is something to change')
    .option('--no-measure', 'do not try the changed texts on recent events')
    .addOption(jsonOption())
    .action(async (path: string, options: RuleFileOptions) => (await actions()).planRules(path, options));
}

function applyRulesCommand(): Command {
  return new Command('apply')
    .argument(...FILE)
    .description('make the rules on the server those of the file')
    .addOption(keep())
    .addOption(replace())
    .option('-y, --yes', 'do not ask')
    .option('--skip-tests', 'apply the file although a sample fails')
    .addOption(jsonOption())
    .action(async (path: string, options: RuleFileOptions) => (await actions()).applyRules(path, options));
}

const restoreRulesCommand = (): Command =>
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
async function listDeleted(client: Client, { json }: { json?: true }): Promise<void> {
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

/** `sluice rules export`, `plan` and `apply`: the rules of an account as a file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Client } from '../../../packages/client/src/index.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { err, out } from '../colours.ts';
import { connectServer, describeIssue } from '../connect.ts';
import { CliError, plain, printJson } from '../output.ts';
import { describePlan, nameOf, planToJson } from '../plan-view.ts';
import { printRuleFile, type RuleEntry, type RuleFile, readRuleFile } from '../rule-file.ts';
import { newTexts, type PlannedChange, planChanges, type RulePlan } from '../rule-plan.ts';
import { confirmed } from '../terminal.ts';

interface Options {
  readonly keep?: true;
  readonly yes?: true;
  readonly exitCode?: true;
  readonly json?: true;
}

const keep = () => new Option('--keep', 'leave rules alone that are not in the file');
const json = () => new Option('--json', 'print JSON');
const FILE = ['<file>', 'YAML, as `sluice rules export` writes it; "-" is standard input'] as const;

export function exportRulesCommand(): Command {
  return new Command('export')
    .argument('[file]', 'where to write; standard output when it is left out')
    .description('write all rules as YAML')
    .addOption(new Option('--json', 'print JSON, as List Rules answers'))
    .action(async (file: string | undefined, options: Options) => {
      const answer = await connectServer().client.rules.list();
      const text = options.json ? `${JSON.stringify(answer, undefined, 2)}\n` : printRuleFile(answer.rules);
      if (file === undefined || file === '-') process.stdout.write(text);
      else writeFileSync(file, text);
    });
}

export function planRulesCommand(): Command {
  return new Command('plan')
    .argument(...FILE)
    .description('show what `apply` would change')
    .addOption(keep())
    .option('--exit-code', 'end with status 3 when there is something to change')
    .addOption(json())
    .action(async (path: string, options: Options) => {
      const plan = await makePlan(connectServer().client, path, options);
      if (options.json) printJson(planToJson(plan));
      else console.log(describePlan(plan));
      if (options.exitCode && plan.changes.length > 0) process.exitCode = 3;
    });
}

export function applyRulesCommand(): Command {
  return new Command('apply')
    .argument(...FILE)
    .description('make the rules on the server those of the file')
    .addOption(keep())
    .option('-y, --yes', 'do not ask')
    .addOption(json())
    .action(async (path: string, options: Options) => {
      const { client } = connectServer();
      const plan = await makePlan(client, path, options);
      if (!options.json) console.log(describePlan(plan));
      if (plan.changes.length === 0)
        return options.json ? printJson({ applied: [], unchanged: plan.unchanged }) : undefined;
      if (!(await confirmed('Make these changes?', options.yes))) return console.log('Nothing was done.');
      const applied = await applyAll(client, plan.changes, options.json !== true);
      if (options.json) printJson({ applied, unchanged: plan.unchanged });
    });
}

/** Whatever is wrong with the file or its rules is said before anything is changed. */
async function makePlan(client: Client, path: string, options: Options): Promise<RulePlan> {
  const file = readRuleFile(path === '-' ? 'standard input' : path, readText(path));
  const { rules } = await client.rules.list();
  const plan = planChanges(file.entries, rules, { keep: options.keep === true });
  const problems = [
    ...plan.problems.map(({ index, message }) => `${file.placeOf(index, 'name')}: ${message}`),
    ...(await checkTexts(client, file, plan.changes)),
  ];
  if (problems.length > 0)
    throw new CliError(`The file cannot be applied; nothing was changed.\n${problems.join('\n')}`);
  return plan;
}

/** Warnings are told and do no harm; errors are the answer. */
async function checkTexts(client: Client, file: RuleFile, changes: readonly PlannedChange[]): Promise<string[]> {
  const errors: string[] = [];
  for (const change of changes) {
    for (const [platform, value] of newTexts(change)) {
      if (change.action === 'delete') continue;
      const { valid, issues } = await client.rules.validate({ platform, value });
      if (issues.length === 0) continue;
      const place = `${file.placeOf(change.index, 'overrides', platform)}: ${plain(change.entry.name)}, ${platform}`;
      const told = [place, ...issues.map((issue) => describeIssue(issue, value)), ''].join('\n');
      if (valid) console.error(told);
      else errors.push(told);
    }
  }
  return errors;
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new CliError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, 2);
  }
}

interface Applied {
  readonly action: PlannedChange['action'];
  readonly name: string;
  readonly rule_id: string;
}

/** In order; where one fails the rest is left, and the same command goes on from there. */
async function applyAll(client: Client, changes: readonly PlannedChange[], loud: boolean): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const change of changes) {
    const name = nameOf(change);
    try {
      applied.push({ action: change.action, name, rule_id: await apply(client, change) });
    } catch (error) {
      console.error(
        `${err.red('✗')} ${change.action} ${plain(name)}: ${applied.length} of ${changes.length} changes are made.`,
      );
      throw error;
    }
    if (loud) console.log(`${out.green('✓')} ${change.action} ${plain(name)}`);
  }
  return applied;
}

async function apply(client: Client, change: PlannedChange): Promise<string> {
  switch (change.action) {
    case 'create':
      return create(client, change.entry);
    case 'update': {
      const { name, intent, overrides, paused, alerts } = change.entry;
      return (await client.rules.update({ rule_id: change.rule.id, name, intent, overrides, paused, alerts })).id;
    }
    case 'replace': {
      // The new one first: between the two, nothing is missed.
      const id = await create(client, change.entry);
      await client.rules.delete({ rule_id: change.rule.id });
      return id;
    }
    case 'delete':
      await client.rules.delete({ rule_id: change.rule.id });
      return change.rule.id;
  }
}

async function create(client: Client, entry: RuleEntry): Promise<string> {
  const { name, intent, overrides, options, paused, alerts } = entry;
  const platforms = PLATFORMS.filter((platform) => overrides[platform] !== undefined);
  const { rule_id } = await client.rules.create({
    name,
    intent,
    platforms,
    overrides,
    alerts,
    ...(options && { options }),
  });
  if (paused) await client.rules.update({ rule_id, paused });
  return rule_id;
}

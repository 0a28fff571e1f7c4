/** The actions of `sluice rules export`, `plan`, `apply` and `test`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client, Input, Rule } from '../../packages/client/src/index.ts';
import { PLATFORMS } from '../domain/platform.ts';
import { ANYTHING } from '../rules/rule-text.ts';
import { connectServer, describeIssue, type NamedSource } from './connect.ts';
import { CliError, err, out, plain, printJson } from './output.ts';
import { type MeasuredPlan, measurePlan } from './plan-measure.ts';
import { describePlan, nameOf, planToJson } from './plan-view.ts';
import { printRuleFile, type RuleEntry, type RuleFile, readRuleFile, SAMPLE_FIELDS, SOURCES } from './rule-file.ts';
import { newTexts, type PlannedChange, planChanges, type RulePlan } from './rule-plan.ts';
import { describeSamples, type SampleReport, samplesToJson, testSamples } from './sample-report.ts';
import { confirmed } from './terminal.ts';

export interface RuleFileOptions {
  readonly keep?: true;
  readonly replace?: readonly string[];
  readonly yes?: true;
  readonly exitCode?: true;
  readonly measure?: boolean;
  readonly skipTests?: true;
  readonly json?: true;
}

export async function exportRules(file: string | undefined, options: RuleFileOptions): Promise<void> {
  const { client } = connectServer();
  const answer = await client.rules.list();
  const text = options.json
    ? `${JSON.stringify(answer, undefined, 2)}\n`
    : printRuleFile(answer.rules, await sourcesFor(client, answer.rules));
  if (file === undefined || file === '-') process.stdout.write(text);
  else {
    if (!options.json) refuseToLoseSamples(file);
    writeFileSync(file, text);
  }
}

/** The server does not keep samples, so an export over them would be the end of them. */
function refuseToLoseSamples(path: string): void {
  if (!existsSync(path) || !/^[ \t]*(?:-[ \t]*)?["']?must_(not_)?match\b/m.test(readText(path))) return;
  throw new CliError(`${path} has samples, which the server does not keep. Export to another file.`, 2);
}

export async function testRuleFile(path: string, options: RuleFileOptions): Promise<void> {
  const report = await testSamples(readRules(path));
  if (options.json) printJson(samplesToJson(report));
  else console.log(describeSamples(report));
  if (report.failures.length > 0) process.exitCode = 1;
}

export async function planRules(path: string, options: RuleFileOptions): Promise<void> {
  const { client } = connectServer();
  const { plan, report } = await makePlan(client, path, options);
  const measured: MeasuredPlan = options.measure === false ? new Map() : await measurePlan(client, plan.changes);
  if (options.json) printJson({ ...planToJson(plan, measured), ...(report && { samples: samplesToJson(report) }) });
  else console.log([describePlan(plan, measured), ...(report ? [describeSamples(report)] : [])].join('\n'));
  if (options.exitCode && plan.changes.length > 0) process.exitCode = 3;
}

export async function applyRules(path: string, options: RuleFileOptions): Promise<void> {
  const { client } = connectServer();
  const { plan, report } = await makePlan(client, path, options);
  refuseFailures(report, options);
  if (!options.json) console.log(describePlan(plan));
  if (plan.changes.length === 0)
    return options.json ? printJson({ applied: [], unchanged: plan.unchanged }) : undefined;
  if (!(await confirmed('Make these changes?', options.yes))) return console.log('Nothing was done.');
  const applied = await applyAll(client, plan.changes, options.json !== true);
  if (options.json) printJson({ applied, unchanged: plan.unchanged });
}

/** Whatever is wrong with the file or its rules is said before anything is changed. */
async function makePlan(
  client: Client,
  path: string,
  options: RuleFileOptions,
): Promise<{ plan: RulePlan; report: SampleReport | undefined }> {
  const file = readRules(path);
  const { rules } = await client.rules.list();
  const { keep = false, replace = [] } = options;
  const unknown = replace.find((name) => file.entries.every((entry) => entry.name !== name));
  if (unknown !== undefined) throw new CliError(`The file has no rule named "${plain(unknown)}" to replace.`, 2);
  const sources = await sourcesFor(client, rules, file.entries);
  const plan = planChanges(file.entries, rules, { keep, replace, sources });
  const problems = [
    ...plan.problems.map(({ index, path: part, message }) => `${file.placeOf(index, ...part)}: ${message}`),
    ...(await checkTexts(client, file, plan.changes)),
  ];
  if (problems.length > 0)
    throw new CliError(`The file cannot be applied; nothing was changed.\n${problems.join('\n')}`);
  const hasSamples = file.entries.some((entry) => SAMPLE_FIELDS.some((field) => entry[field].length > 0));
  return { plan, report: hasSamples ? await testSamples(file) : undefined };
}

/** The sources that rules may name. They are asked for where a rule is limited to some. */
export async function sourcesFor(
  client: Client,
  rules: readonly Rule[],
  entries: readonly RuleEntry[] = [],
): Promise<NamedSource[]> {
  const held = new Set(rules.flatMap((rule) => rule.sources ?? []));
  if (held.size === 0 && entries.every(({ options }) => !options?.sources)) return [];
  const { sources } = await client.sources.list();
  // A rule stays limited to a source that was deleted.
  const deleted = [...held].filter((id) => sources.every((one) => one.id !== id));
  return [...sources, ...deleted.map((id) => ({ id, name: id }))];
}

function refuseFailures(report: SampleReport | undefined, { skipTests }: RuleFileOptions): void {
  if (report === undefined || report.failures.length === 0) return;
  if (!skipTests)
    throw new CliError(
      `The file was not applied; nothing was changed. --skip-tests applies it as it is.\n${describeSamples(report)}`,
      1,
      samplesToJson(report),
    );
  console.error(describeSamples(report));
}

const readRules = (path: string): RuleFile => readRuleFile(path === '-' ? 'standard input' : path, readText(path));

/** Warnings are told and do no harm; errors are the answer. */
async function checkTexts(client: Client, file: RuleFile, changes: readonly PlannedChange[]): Promise<string[]> {
  const errors: string[] = [];
  for (const change of changes) {
    for (const [platform, value] of newTexts(change)) {
      if (change.action === 'delete' || isAnything(change.entry, value)) continue;
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

/** A text that is valid with sources alone, which Validate Rule does not take. */
const isAnything = ({ options }: RuleEntry, value: string): boolean =>
  value === ANYTHING && options?.sources !== undefined;

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
export async function applyAll(client: Client, changes: readonly PlannedChange[], loud: boolean): Promise<Applied[]> {
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
    case 'update':
      return (await client.rules.update(updateOf(change))).id;
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

/** A platform that the file leaves out is removed; a flag that it leaves out falls back to its default. */
function updateOf({ entry, rule, differences }: Extract<PlannedChange, { action: 'update' }>): Input<'updateRule'> {
  const { name, intent, paused, alerts } = entry;
  const overrides = Object.fromEntries(
    PLATFORMS.filter((one) => one in entry.overrides || one in rule.platforms).map((one) => [
      one,
      entry.overrides[one] ?? null,
    ]),
  );
  const wanted = entry.options?.firehose ?? {};
  const flags = Object.fromEntries(
    [...Object.keys(rule.platforms.firehose?.options ?? {}), ...Object.keys(wanted)].map((flag) => [
      flag,
      wanted[flag as keyof typeof wanted] ?? null,
    ]),
  );
  const hasFlags = entry.overrides.firehose !== undefined && Object.keys(flags).length > 0;
  const hasNewSources = differences.some(({ field }) => field === SOURCES);
  const options = {
    ...(hasNewSources && { sources: entry.options?.sources ?? null }),
    ...(hasFlags && { firehose: flags }),
  };
  return {
    rule_id: rule.id,
    name,
    intent,
    overrides,
    paused,
    alerts,
    ...(Object.keys(options).length > 0 && { options }),
  };
}

async function create(client: Client, entry: RuleEntry): Promise<string> {
  const { name, intent, overrides, options: { sources, ...flags } = {}, paused, alerts } = entry;
  const options = { ...flags, ...(sources && { sources }) };
  const platforms = PLATFORMS.filter((platform) => overrides[platform] !== undefined);
  const { rule_id } = await client.rules.create({
    name,
    intent,
    platforms,
    overrides,
    alerts,
    ...(Object.keys(options).length > 0 && { options }),
  });
  if (paused) await client.rules.update({ rule_id, paused });
  return rule_id;
}

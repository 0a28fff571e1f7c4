/** `sluice wakes`: what woke whom; a command that is run for each wake; and the kit that tests an agent. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Client } from '../../../packages/client/src/index.ts';
import { systemClock } from '../../base/clock.ts';
import { stopSignals } from '../../base/system.ts';
import { connectServer, ruleIdOf } from '../connect.ts';
import { CliError, counted, plain, printJson, table } from '../output.ts';
import { commandRuns, followWakes } from '../wakes/run-command.ts';
import { wholeNumber } from './matches.ts';

const WAIT_SECONDS = 45;

interface RunOptions {
  readonly agent: string;
  readonly rule?: string[];
  readonly state?: string;
}

interface TestOptions {
  readonly headless?: true;
  readonly json?: true;
}

const json = () => new Option('--json', 'print JSON');
const agent = () => new Option('--agent <name>', 'the name of the agent').default('agent');

export function wakesCommand(): Command {
  return new Command('wakes')
    .description('wake agents, see what woke whom, and test whether an agent is woken')
    .addCommand(
      new Command('list')
        .description('list wakes, newest first')
        .addOption(new Option('--limit <count>', 'how many at most').argParser(wholeNumber).default(20))
        .addOption(json())
        .action(list),
    )
    .addCommand(
      new Command('ack')
        .argument('<wake>', 'its id')
        .description('acknowledge a wake: it is offered no more')
        .addOption(json())
        .action(acknowledge),
    )
    .addCommand(runCommand())
    .addCommand(testCommand());
}

const runCommand = (): Command =>
  new Command('run')
    .argument('<command...>', 'after --: what begins a turn, such as a headless run of an agent')
    .description('run a command once for each wake, with the wake as its standard input')
    .addOption(agent())
    .option('--rule <rule...>', 'when the agent is new: only matches of these rules, by id or name')
    .option('--state <folder>', "where runs are noted; in the user's own data folder by default")
    .addHelpText(
      'after',
      '\nA command that ends with 0 acknowledges the wake; another is run again. SLUICE_WAKE_ID has the id. See docs/guides/wake-an-agent.md.',
    )
    .action(run);

const testCommand = (): Command =>
  new Command('test')
    .argument('<command...>', 'after --: the agent to test')
    .description('test whether an agent is woken, exactly once, when it is active, idle, restarted or away for an hour')
    .option('--headless', 'the command is run for each wake, as `sluice wakes run` does')
    .addOption(json())
    .action(testAgent);

async function list({ limit, json: asJson }: { limit: number; json?: true }): Promise<void> {
  const answer = await connectServer().client.wakes.list({ limit });
  if (asJson) return printJson(answer);
  const rows = answer.wakes.map((wake) => [
    wake.id,
    wake.webhook_id,
    wake.state,
    `${wake.matches}`,
    wake.created_at,
    wake.acknowledged_at ?? plain(wake.reason ?? '', 50),
  ]);
  console.log(table(['ID', 'WEBHOOK', 'STATE', 'MATCHES', 'CREATED', 'ACKNOWLEDGED'], rows));
  for (const one of answer.waiting)
    console.log(`${plain(one.agent)} has not asked since ${one.since}: ${counted(one.matches, 'match')} waiting.`);
}

async function acknowledge(id: string, options: { json?: true }): Promise<void> {
  const { first } = await connectServer().client.wakes.acknowledge({ wake_id: id });
  if (options.json) printJson({ first });
  else console.log(first ? `The wake ${plain(id)} is acknowledged.` : `The wake ${plain(id)} was acknowledged before.`);
}

async function run(command: string[], { agent: name, rule, state }: RunOptions): Promise<void> {
  if (process.platform === 'win32') throw new CliError('`sluice wakes run` needs /bin/sh.', 1);
  const { client } = connectServer();
  await ensureAgent(client, name, rule);
  const folder = state ?? (await ownFolder(name));
  const stopping = new AbortController();
  for (const signal of stopSignals(process.platform)) process.once(signal, () => stopping.abort());
  const runs = commandRuns({ command, folder, env: process.env, clock: systemClock });
  const complain = (message: string): void => console.error(message);
  const next = async (signal: AbortSignal) =>
    (await client.wakes.next({ agent: name, wait_seconds: WAIT_SECONDS }, { signal })).wake;
  const confirm = async (wake_id: string): Promise<void> => void (await client.wakes.acknowledge({ wake_id }));
  await followWakes({ ...runs, next, acknowledge: confirm, clock: systemClock, complain }, stopping.signal);
  process.exit();
}

async function ownFolder(name: string): Promise<string> {
  const { userDataFolder } = await import('../../app/mcp-stdio.ts');
  return join(userDataFolder(process.env), 'wakes', name);
}

/** The agent is a webhook that nothing is sent to; a name that is new makes one. */
async function ensureAgent(client: Client, name: string, rules: readonly string[] | undefined): Promise<void> {
  const url = `wake:${name}`;
  const { webhooks } = await client.webhooks.list({});
  if (webhooks.some((one) => one.url === url)) return;
  const rule_ids = rules && (await Promise.all(rules.map((one) => ruleIdOf(client, one))));
  await client.webhooks.create({ url, format: 'wake', ...(rule_ids && { rule_ids }) });
}

async function testAgent(command: string[], { headless, json: asJson }: TestOptions): Promise<void> {
  const { testWakes } = await import('../wakes/kit.ts');
  const report = await testWakes({
    command,
    headless: headless === true,
    tell: asJson ? () => {} : (line) => console.log(line),
  });
  if (asJson) printJson(report);
  else console.log(report.passed ? 'The agent is woken, once each.' : 'The agent is not woken as it should be.');
  process.exit(report.passed ? 0 : 1);
}

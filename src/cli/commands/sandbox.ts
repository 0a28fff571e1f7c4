/** `sluice sandbox`: stand-ins for X and Firehose on this machine, until a signal ends them. */
import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Sandbox, SandboxOptions } from '../../../sandbox/sandbox.ts';
import { stopSignals } from '../../base/system.ts';
import { X_LEVELS, type XLevel } from '../../rules/language.ts';
import { CliError } from '../output.ts';

interface Options {
  readonly port: number;
  readonly host: string;
  readonly feed: string;
  readonly rate?: number;
  readonly xToken?: string;
  readonly firehoseToken?: string;
  readonly xConsumerSecret?: string;
  readonly xLevel?: XLevel;
  readonly xRules?: number;
  readonly firehoseRules?: number;
  readonly firehosePayload?: 'query_id' | 'query_ids';
  readonly limits: boolean;
  readonly tls?: string;
  readonly json?: true;
}

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('serve stand-ins for X (/2/…) and Firehose (/v1/…), with faults to throw (see docs/sandbox.md)')
    .addOption(
      new Option('--port <number>', 'where to listen; 0 takes any free port').argParser(wholeNumber).default(0),
    )
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--feed <name>', 'events that come by themselves: demo, off, or a file of events, one a line', 'demo')
    .addOption(new Option('--rate <events>', 'events of the feed a second').argParser(positive))
    .option('--x-token <token>', 'the one bearer token that X takes; any by default')
    .option('--firehose-token <token>', 'the one tap token that Firehose takes; any by default')
    .option('--x-consumer-secret <secret>', 'what X signs deliveries to webhooks with')
    .addOption(new Option('--x-level <level>', "the access level of X's app").choices(X_LEVELS))
    .addOption(new Option('--x-rules <number>', 'how many rules X holds').argParser(wholeNumber))
    .addOption(new Option('--firehose-rules <number>', 'how many rules Firehose holds').argParser(wholeNumber))
    .addOption(
      new Option('--firehose-payload <generation>', 'which generation of payloads Firehose sends').choices([
        'query_ids',
        'query_id',
      ]),
    )
    .option('--tls <file>', 'speak https, and write the certificate that clients are to trust to this file')
    .option('--no-limits', 'take any number of requests')
    .option('--json', 'print what happens as JSON')
    .action(run);
}

async function run({ feed, limits, tls, json, ...options }: Options): Promise<void> {
  const { startSandbox } = await import('../../../sandbox/sandbox.ts');
  const settings: SandboxOptions = {
    ...options,
    feed: feed === 'demo' || feed === 'off' ? feed : { file: feed },
    limits: limits ? 'on' : 'off',
    tls: tls !== undefined,
  };
  const sandbox = await startSandbox(settings).catch((error: unknown) => {
    throw new CliError(error instanceof Error ? error.message : String(error));
  });
  if (tls !== undefined) await writeFile(tls, sandbox.certificate ?? '');
  console.log(json ? JSON.stringify({ url: sandbox.url }) : `sluice sandbox: listening on ${sandbox.url}`);
  await ended(sandbox);
}

/** Until the first signal. */
async function ended(sandbox: Sandbox): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of stopSignals(process.platform)) process.once(signal, () => resolve());
  });
  await sandbox.stop();
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number above 0.');
  return value;
}

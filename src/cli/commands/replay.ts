/** `sluice replay`: recorded events, pushed to a server as if they came in now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Client, type Input, SluiceError } from '../../../packages/client/src/index.ts';
import { type Progress, type PushOutcome, replay } from '../../app/replay.ts';
import { USUAL_DATA_DIR } from '../../app/server-settings.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer } from '../connect.ts';
import { CliError, printJson } from '../output.ts';
import { progressLine } from '../terminal.ts';

interface Options {
  readonly platform: Platform;
  readonly rate?: number;
  readonly fromStart?: true;
  readonly ack: Input<'pushEvents'>['ack'];
  readonly json?: true;
}

export function replayCommand(): Command {
  return new Command('replay')
    .argument('<file>', 'NDJSON, one event a line; .gz is unpacked; "-" is standard input')
    .description('push recorded events to the server at SLUICE_URL; run again, it goes on where it stopped')
    .addOption(
      new Option('-p, --platform <name>', 'which platform they are from').choices(PLATFORMS).makeOptionMandatory(),
    )
    .addOption(
      new Option('--rate <events>', 'how many a second; as fast as the server takes them by default').argParser(
        positive,
      ),
    )
    .addOption(
      new Option('--ack <when>', 'what each push waits for: that its events are stored, or in the log of the server')
        .choices(['stored', 'log'])
        .default('stored'),
    )
    .option('--from-start', 'begin at the first line, even if an earlier replay was cut short')
    .option('--json', 'print the result as JSON')
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const { client, url } = connectServer();
  const dataDir = process.env['SLUICE_DATA_DIR'] || USUAL_DATA_DIR;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const line = progressLine(process.stderr);
  const result = await replay({
    file,
    platform: options.platform,
    rate: options.rate,
    dataDir,
    serverUrl: url,
    fromStart: options.fromStart === true,
    signal: stop.signal,
    push: (lines) => push(client, { platform: options.platform, ack: options.ack, lines }),
    onProgress: (progress) => line.show(progress.part, summary(progress)),
  }).catch((error: unknown) => {
    line.end();
    throw readable(error, file);
  });
  line.end();
  report(result, options);
}

/** A server that is busy says when to come again; the batch waits for it. */
async function push(client: Client, given: Input<'pushEvents'>): Promise<PushOutcome> {
  for (;;) {
    try {
      return await client.events.push(given);
    } catch (error) {
      if (!(error instanceof SluiceError) || (error.status !== 429 && error.status !== 503)) throw error;
      await sleep(Math.max(1, error.retryAfter ?? 0) * 1000);
    }
  }
}

function report(result: Progress, { json }: Options): void {
  if (json)
    printJson({
      events: result.events,
      matches: result.matches,
      rejected: result.rejected,
      resumed_at: result.resumedAt,
      done: result.done,
    });
  else console.log(summary(result));
  for (const { line, message } of result.refusals) console.error(`line ${line}: ${message}`);
  if (!result.done) throw new CliError(`Stopped after line ${result.position}. The same command goes on from there.`);
}

const summary = ({ events, matches, rejected, resumedAt }: Progress): string =>
  [
    `${events} events`,
    matches === undefined ? 'in the log' : `${matches} matches`,
    ...(rejected > 0 ? [`${rejected} refused`] : []),
    ...(resumedAt > 0 ? [`went on after line ${resumedAt}`] : []),
  ].join(', ');

function readable(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES')
    return new CliError(`${file} cannot be read (${code}).`, 2);
  if (code?.startsWith('Z_')) return new CliError(`${file} is not a whole gzip file.`);
  return error;
}

function positive(text: string): number {
  const rate = Number(text);
  if (!(rate > 0) || rate > 1e9) throw new InvalidArgumentError('It must be a number above 0.');
  return rate;
}

/** `sluice replay`: recorded events, pushed to a server as if they came in now. */
import { setTimeout as wait } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Input, SluiceError } from '../../../packages/client/src/index.ts';
import { type Progress, replay } from '../../app/replay.ts';
import { USUAL_DATA_DIR } from '../../app/server-settings.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, describeFailure } from '../connect.ts';
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
  const { platform, ack, rate } = options;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const line = progressLine(process.stderr);
  const tell = (text: string) => {
    line.end();
    console.error(text);
  };
  const server = patientServer(tell, stop.signal);
  const result = await replay({
    file,
    platform,
    rate,
    dataDir: process.env['SLUICE_DATA_DIR'] || USUAL_DATA_DIR,
    serverUrl: server.url,
    fromStart: options.fromStart === true,
    signal: stop.signal,
    push: (lines) => server.push({ platform, ack, lines }),
    onProgress: (progress) => line.show(progress.part, summary(progress)),
    onUnnoted: ({ code, message }) =>
      tell(`The place in the recording cannot be noted in SLUICE_DATA_DIR (${code ?? message}). The replay goes on.`),
  }).catch((error: unknown) => {
    line.end();
    throw readable(error, file);
  });
  line.end();
  report(result, options, server.refusal());
}

const isBusy = ({ status }: SluiceError): boolean => status === 429 || status === 503;

/** How often a failure other than a busy server is tried again, as by every other command. */
const OTHER_RETRIES = 3;

/** A server that is busy is asked until it takes the batch, as late as it says. One that asks for more patience is not. */
function patientServer(tell: (text: string) => void, signal: AbortSignal) {
  let refusal: SluiceError | undefined;
  let others = 0;
  let isTold = false;
  function onRetry(error: SluiceError, seconds: number): void {
    if (!isBusy(error)) {
      if (error.code === 'no_answer' || ++others > OTHER_RETRIES) throw error;
    } else if (!isTold) {
      tell(
        `${describeFailure(error)}\nThe replay waits ${Math.ceil(seconds)} s, and later as often as the server asks.`,
      );
      isTold = true;
    }
  }
  // The signal ends the pauses alone: a batch that the server may have taken is waited for, and its place noted.
  const pause = async (milliseconds: number) => {
    await wait(milliseconds, undefined, { signal });
  };
  const { client, url } = connectServer(undefined, { retries: Number.POSITIVE_INFINITY, onRetry, wait: pause });
  return {
    url,
    /** The answer that ended the replay. */
    refusal: () => refusal,
    async push(given: Input<'pushEvents'>) {
      others = 0;
      try {
        return await client.events.push(given);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof SluiceError) || !isBusy(error)) throw error;
        refusal = error;
        return undefined;
      }
    },
  };
}

function report(result: Progress, { json }: Options, refusal: SluiceError | undefined): void {
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
  if (result.done) return;
  const why = refusal === undefined ? '' : `${describeFailure(refusal)}\n`;
  const next = result.isNoted ? ' The same command goes on from there.' : '';
  throw new CliError(`${why}Stopped after line ${result.position}.${next}`, 1, refusal?.details);
}

const summary = ({ events, matches, rejected, resumedAt }: Progress): string =>
  [
    `${events} events`,
    matches === undefined ? 'in the log' : `${matches} matches`,
    ...(rejected > 0 ? [`${rejected} refused`] : []),
    ...(resumedAt > 0 ? [`went on after line ${resumedAt}`] : []),
  ].join(', ');

/** Errors of the system are of the recording: those of the place are told as they come. */
function readable(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_')) return new CliError(`${file} is not a whole gzip file.`);
  if (syscall !== undefined) return new CliError(`${file} cannot be read (${code}).`, 2);
  return error;
}

function positive(text: string): number {
  const rate = Number(text);
  if (!(rate > 0) || rate > 1e9) throw new InvalidArgumentError('It must be a number above 0.');
  return rate;
}

/** `sluice rehearse`: tries a rule on history, on the server as a job, or on a file here without any server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Answer, Client } from '../../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, findRule } from '../connect.ts';
import { CliError, INTERRUPTED, printJson } from '../output.ts';
import { describeRehearsal } from '../rehearsal-view.ts';
import { progressLine } from '../terminal.ts';
import { pastOption } from '../time-option.ts';

interface Options {
  readonly x?: string;
  readonly firehose?: string;
  readonly file?: string;
  readonly history?: string;
  readonly from?: string;
  readonly to?: string;
  readonly attach?: string;
  readonly json?: true;
}

const ASK_EVERY_MS = 500;

export function rehearseCommand(): Command {
  return new Command('rehearse')
    .description('try a rule on history: the recent events, a file, or Bluesky’s archive')
    .argument('[rule]', 'id or name of a rule on the server')
    .option('--x <text>', 'a rule in the language of x instead')
    .option('--firehose <text>', 'a rule in the language of firehose instead')
    .option('--file <path>', 'NDJSON or Parquet on this machine; no server is asked')
    .option('--history <name>', 'a file in the server’s folder of history (SLUICE_HISTORY)')
    .addOption(pastOption('--from <time>', 'of the archive'))
    .addOption(pastOption('--to <time>', 'of the archive, at most 7 days later'))
    .option('--attach <id>', 'follow a rehearsal that was started before')
    .option('--json', 'print JSON, as Get Rehearsal answers')
    .addHelpText(
      'after',
      '\n  sluice rehearse --x "volcano lang:en" --file posts.ndjson\n  sluice rehearse "Volcano news"',
    )
    .action(rehearse);
}

async function rehearse(name: string | undefined, options: Options): Promise<void> {
  if (options.file !== undefined) return rehearseHere(name, options, options.file);
  const { client } = connectServer();
  const id = options.attach ?? (await started(client, name, options));
  const answer = await followed(client, id);
  if (options.json) printJson(answer);
  else console.log(describeRehearsal(answer.result));
  if (answer.status === 'failed') throw new CliError(`The rehearsal failed: ${answer.error}`);
}

async function started(client: Client, name: string | undefined, options: Options): Promise<string> {
  const texts = textsOf(options);
  const platforms = PLATFORMS.filter((one) => texts[one] !== undefined);
  if ((name === undefined) === (platforms.length === 0))
    throw new CliError('Name a rule, or give --x or --firehose.', 2);
  const what = name === undefined ? { platforms, overrides: texts } : { rule_id: (await findRule(client, name)).id };
  return (await client.rehearsals.start({ ...what, history: historyOf(options) })).id;
}

const textsOf = ({ x, firehose }: Options): Partial<Record<Platform, string>> => ({
  ...(x !== undefined && { x }),
  ...(firehose !== undefined && { firehose }),
});

function historyOf({ history, from, to }: Options) {
  if (history !== undefined) return { kind: 'file' as const, file: history };
  if (from === undefined && to === undefined) return { kind: 'recent' as const };
  if (from === undefined || to === undefined) throw new CliError('The archive needs both --from and --to.', 2);
  return { kind: 'archive' as const, from, to };
}

/** The first Ctrl+C leaves the rehearsal running; the second one cancels it. */
async function followed(client: Client, id: string): Promise<Answer<'getRehearsal'>> {
  const line = progressLine(process.stderr);
  let interrupts = 0;
  let leave = new AbortController();
  const interrupt = () => {
    interrupts++;
    leave.abort();
  };
  process.on('SIGINT', interrupt);
  try {
    for (;;) {
      const answer = await client.rehearsals.get({ rehearsal_id: id });
      line.show(
        answer.progress ?? undefined,
        `${answer.status}, ${answer.events} events${answer.error ? ` (${answer.error})` : ''}`,
      );
      if (answer.ended_at !== null) return answer;
      await sleep(ASK_EVERY_MS, undefined, { signal: leave.signal }).catch(() => {});
      if (interrupts === 0) continue;
      line.end();
      if (!process.stderr.isTTY) throw left(id);
      console.error('It runs on. Press Ctrl+C again within 3 seconds to cancel it.');
      leave = new AbortController();
      await sleep(3_000, undefined, { signal: leave.signal }).catch(() => {});
      if (interrupts < 2) throw left(id);
      await client.rehearsals.cancel({ rehearsal_id: id });
      return await client.rehearsals.get({ rehearsal_id: id });
    }
  } finally {
    process.off('SIGINT', interrupt);
    line.end();
  }
}

const left = (id: string) =>
  new CliError(`It runs on. \`sluice rehearse --attach ${id}\` follows it again.`, INTERRUPTED);

async function rehearseHere(name: string | undefined, options: Options, file: string): Promise<void> {
  const texts = textsOf(options);
  if (name !== undefined || Object.keys(texts).length === 0)
    throw new CliError('With --file the rule is given by --x or --firehose: no server is asked.', 2);
  const line = progressLine(process.stderr);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // With it come the languages and the engine; a rehearsal on a server does without them.
  const { rehearseFile } = await import('../../app/rehearse-file.ts');
  const answer = await rehearseFile({
    file,
    texts,
    signal: stop.signal,
    onProgress: (progress, events) => line.show(progress, `${events} events`),
  })
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'HistoryError') throw new CliError(error.message);
      throw error;
    })
    .finally(() => line.end());
  if ('problems' in answer) {
    const said = Object.entries(answer.problems).map(([platform, message]) => `--${platform}: ${message}`);
    throw new CliError(said.join('\n'), 2, answer);
  }
  if (options.json) printJson({ events: answer.events, result: answer.result });
  else console.log(describeRehearsal(answer.result));
  if (!answer.isWhole) throw new CliError('Interrupted: this is of a part of the file.', INTERRUPTED);
}

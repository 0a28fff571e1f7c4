/** `sluice tail`: matches as they are stored, until it is interrupted. */
import { Command, Option } from 'commander';
import { type Client, createClient, type Match, type StreamOptions } from '../../../packages/client/src/index.ts';
import { stopSignals } from '../../base/system.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { ruleIdOf } from '../connect.ts';
import { findCredentials } from '../credentials.ts';
import { coverageTeller, viewMatch } from '../match-view.ts';
import { err } from '../output.ts';
import { wholeNumber } from './matches.ts';

interface Options {
  readonly rule?: string;
  readonly platform?: Platform;
  readonly last?: number;
  readonly cursor?: string;
  readonly json?: true;
}

export function tailCommand(): Command {
  return new Command('tail')
    .description('print matches as they come in')
    .option('--rule <rule>', 'of one rule (id or name)')
    .addOption(new Option('--platform <name>', 'of one platform').choices(PLATFORMS))
    .addOption(new Option('-n, --last <count>', 'begin with this many that are there already').argParser(wholeNumber))
    .option('--cursor <cursor>', 'go on after `latest_cursor` of an earlier answer')
    .option('--json', 'print one JSON object a line')
    .action(tail);
}

async function tail(options: Options): Promise<void> {
  const client = createClient({ ...findCredentials(process.env), onRetry: tell });
  const stop = new AbortController();
  for (const signal of stopSignals(process.platform)) process.once(signal, () => stop.abort());
  const print = (match: Match): void => console.log(options.json ? JSON.stringify(match) : `${viewMatch(match)}\n`);
  const filter = {
    ...(options.rule !== undefined && { rule_id: await ruleIdOf(client, options.rule) }),
    ...(options.platform !== undefined && { platform: options.platform }),
  };
  const cursor = options.cursor ?? (await printLast(client, filter, options.last, print));
  const onCoverage = coverageTeller();
  if (process.stderr.isTTY) console.error(err.dim('Waiting for matches. Ctrl-C ends it.'));
  for await (const match of client.matches.stream({ ...filter, cursor, signal: stop.signal, onGap, onCoverage }))
    print(match);
}

/** Prints the newest stored matches, oldest first, and answers the cursor from which the stream goes on. */
async function printLast(
  client: Client,
  filter: Pick<StreamOptions, 'rule_id' | 'platform'>,
  count: number | undefined,
  print: (match: Match) => void,
): Promise<string> {
  const { matches, latest_cursor } = await client.matches.list({ ...filter, limit: Math.min(count ?? 1, 1_000) });
  if (count !== undefined) for (const match of matches.toReversed()) print(match);
  return latest_cursor;
}

const tell = (error: Error, seconds: number): void =>
  console.error(err.dim(`${error.message} Trying again in ${seconds.toFixed(1)} s.`));

const onGap: NonNullable<StreamOptions['onGap']> = (gap) =>
  console.error(err.yellow(`A time without coverage: ${JSON.stringify(gap)}`));

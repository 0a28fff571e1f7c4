/** `sluice top`: which accounts use most of the server, for the operator. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Answer, Input } from '../../../packages/client/src/index.ts';
import { connectServer } from '../connect.ts';
import { plain, printJson, table } from '../output.ts';

interface TopOptions {
  readonly by: NonNullable<Input<'listUsage'>['by']>;
  readonly minutes: number;
  readonly limit: number;
  readonly once?: true;
  readonly json?: true;
}

const EVERY_MS = 2_000;
/** Moves the cursor to the first line and clears what follows. */
const CLEAR = '\u001b[H\u001b[J';
/** As List Usage names them, by the words of this command. */
const SORTS = { cpu: 'cpu_ms', bytes: 'bytes_in', rows: 'matches', turns: 'turns', requests: 'requests' } as const;

export function topCommand(): Command {
  return new Command('top')
    .description('show which accounts use most of the server; for the operator')
    .addOption(
      new Option('--by <what>', 'cpu, bytes, rows, turns or requests').default(SORTS.cpu, 'cpu').argParser(sortOf),
    )
    .addOption(new Option('--minutes <count>', 'of how many minutes, up to 60').default(5).argParser(upTo(60)))
    .addOption(new Option('--limit <count>', 'how many accounts, up to 100').default(20).argParser(upTo(100)))
    .option('--once', 'print the table once; without a terminal that is what happens anyhow')
    .option('--json', 'print JSON once, as List Usage answers')
    .action(top);
}

async function top({ by, minutes, limit, once, json }: TopOptions): Promise<void> {
  const { client } = connectServer();
  const ask = () => client.accounts.usage({ by, minutes, limit });
  if (json) {
    printJson(await ask());
    return;
  }
  if (once || !process.stdout.isTTY) {
    console.log(tableOf(await ask()));
    return;
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  while (!stop.signal.aborted) {
    console.log(`${CLEAR}${tableOf(await ask())}`);
    await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
  }
}

const HEADING = [
  'ACCOUNT',
  'ID',
  'CPU MS',
  'BYTES IN',
  'EVENTS',
  'ROWS',
  'REQUESTS',
  'TURNS',
  'STORED ROWS',
  'STORED BYTES',
  '',
];

function tableOf({ accounts }: Answer<'listUsage'>): string {
  if (accounts.length === 0) return 'No account has used anything.';
  const rows = accounts.map((one) => [
    plain(one.name, 30),
    one.id,
    ...[one.cpu_ms, one.bytes_in, one.events, one.matches, one.requests, one.turns].map(String),
    String(one.stored_matches),
    String(one.storage_bytes),
    one.suspended === null ? '' : 'suspended',
  ]);
  return table(HEADING, rows);
}

function sortOf(word: string): TopOptions['by'] {
  const known = Object.entries(SORTS).find(([name]) => name === word);
  if (known === undefined) throw new InvalidArgumentError(`It must be one of ${Object.keys(SORTS).join(', ')}.`);
  return known[1];
}

const upTo = (most: number) => (text: string) => {
  const count = Number(text);
  if (!/^\d{1,3}$/.test(text) || count < 1 || count > most)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  return count;
};

/** `sluice stories`: what the matches tell, each story once, the one with the newest activity first. */
import { Command, Option } from 'commander';
import type { Answer } from '../../../packages/client/src/index.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer, ruleIdOf } from '../connect.ts';
import { plain, printJson, table } from '../output.ts';
import { pastOption } from '../time-option.ts';
import { wholeNumber } from './matches.ts';

interface Options {
  readonly rule?: string;
  readonly platform?: Platform;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly json?: true;
}

export function storiesCommand(): Command {
  return new Command('stories')
    .description('print what the matches tell, each story once, newest activity first')
    .option('--rule <rule>', 'with a match of one rule (id or name)')
    .addOption(new Option('--platform <name>', 'with a match on one platform').choices(PLATFORMS))
    .addOption(pastOption('--since <time>', 'joined last then or later'))
    .addOption(pastOption('--until <time>', 'joined last before'))
    .addOption(new Option('--limit <count>', 'how many, 200 at most').argParser(wholeNumber).default(20))
    .option('--json', 'print JSON, as List Stories answers')
    .action(print);
}

async function print({ rule, json, ...filter }: Options): Promise<void> {
  const { client } = connectServer();
  const answer = await client.stories({
    ...(rule !== undefined && { rule_id: await ruleIdOf(client, rule) }),
    ...filter,
  });
  if (json) return printJson(answer);
  const heading = ['LAST', 'FIRST', 'ON', 'MATCHES', 'ID', 'TITLE'];
  console.log(answer.stories.length === 0 ? 'No stories.' : table(heading, answer.stories.map(rowOf)));
}

type ListedStory = Answer<'listStories'>['stories'][number];

const rowOf = ({ id, title, size, first_at, last_at, platforms }: ListedStory): string[] => [
  minuteOf(last_at),
  minuteOf(first_at),
  platforms.join(', '),
  String(size),
  id,
  plain(title, 100),
];

const minuteOf = (time: string): string => time.slice(0, 16).replace('T', ' ');

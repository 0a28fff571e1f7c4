/** `sluice digest`: matches by story, newest first, as Markdown, as HTML for an e-mail, or as JSON. */
import { Command, Option } from 'commander';
import type { Client } from '../../../packages/client/src/index.ts';
import { digestOfItems, fromListed, type HeldItem, heldItem } from '../../wakes/digest.ts';
import { digestHtml, digestMarkdown } from '../../wakes/digest-documents.ts';
import { connectServer, ruleIdOf } from '../connect.ts';
import { err, printJson } from '../output.ts';
import { pastOption, pastTime } from '../time-option.ts';
import { wholeNumber } from './matches.ts';

const FORMATS = ['markdown', 'html', 'json'] as const;

interface Options {
  readonly rule?: string;
  readonly since?: string;
  readonly stories: number;
  readonly format: (typeof FORMATS)[number];
  readonly json?: true;
}

const PAGE = 1_000;
/** Matches that a digest tells of; the newest ones. */
const MOST = 10_000;

export function digestCommand(): Command {
  return new Command('digest')
    .description('print matches by story, newest first')
    .option('--rule <rule>', 'of one rule (id or name)')
    .addOption(pastOption('--since <time>', 'since then, or a day when it is left out'))
    .addOption(new Option('--stories <count>', 'how many stories are listed').argParser(wholeNumber).default(50))
    .addOption(new Option('--format <format>', 'how it is written').choices(FORMATS).default('markdown'))
    .option('--json', 'the same as --format json')
    .action(print);
}

async function print(options: Options): Promise<void> {
  const since = options.since ?? pastTime('1d');
  const { client } = connectServer();
  const { held, isWhole } = await heldSince(client, options.rule, since);
  if (!isWhole) console.error(err.yellow(`There are more matches; the newest ${MOST} are told of.`));
  const digest = digestOfItems(held, options.stories);
  if (options.json || options.format === 'json') printJson(digest);
  else process.stdout.write(options.format === 'html' ? digestHtml(digest) : digestMarkdown(digest));
}

/** Page by page; of each match only a few words are kept. */
async function heldSince(
  client: Client,
  rule: string | undefined,
  since: string,
): Promise<{ held: HeldItem[]; isWhole: boolean }> {
  const held: HeldItem[] = [];
  const query = { ...(rule !== undefined && { rule_id: await ruleIdOf(client, rule) }), since, limit: PAGE };
  for await (const page of client.matches.pages(query)) {
    for (const match of page) {
      if (held.length === MOST) return { held, isWhole: false };
      held.push(heldItem(fromListed(match)));
    }
  }
  return { held, isWhole: true };
}

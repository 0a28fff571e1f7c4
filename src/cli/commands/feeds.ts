/** `sluice feeds`: matches and stories for feed readers, at secret addresses. */
import { Command, Option } from 'commander';
import { connectServer, ruleIdOf } from '../connect.ts';
import { facts, plain, printJson, table } from '../output.ts';
import { templateIn } from '../text-file.ts';

interface NewFeed {
  readonly rule?: string;
  readonly what: 'matches' | 'stories';
  readonly template?: string;
  readonly templateFile?: string;
  readonly json?: true;
}

export function feedsCommand(): Command {
  const json = () => new Option('--json', 'print JSON');
  return new Command('feeds')
    .description('matches and stories as Atom, RSS and JSON Feed')
    .addCommand(
      new Command('create')
        .argument('<name>', 'the title that readers see')
        .description('create a feed; its secret addresses are shown once')
        .option('--rule <rule>', 'of one rule (id or name) instead of all')
        .addOption(new Option('--what <what>', 'what it lists').choices(['matches', 'stories']).default('matches'))
        .option('--template <text>', 'how the text of an entry is written')
        .addOption(
          new Option('--template-file <file>', 'the same from a file; - reads standard input').conflicts('template'),
        )
        .addOption(json())
        .action(create),
    )
    .addCommand(new Command('list').description('list feeds').addOption(json()).action(list))
    .addCommand(
      new Command('delete')
        .argument('<feed-id>', 'the id, as `sluice feeds list` shows it')
        .description('end a feed: its addresses stop working at once')
        .addOption(json())
        .action(remove),
    );
}

async function create(name: string, { rule, what, json, ...options }: NewFeed): Promise<void> {
  const { client, url } = connectServer();
  const rule_id = rule === undefined ? undefined : await ruleIdOf(client, rule);
  const template = options.template ?? templateIn(options.templateFile);
  const made = await client.feeds.create({
    name,
    what,
    ...(rule_id !== undefined && { rule_id }),
    ...(template !== undefined && { template }),
  });
  // A server without a public address answers paths.
  const urls = Object.fromEntries(Object.entries(made.urls).map(([format, path]) => [format, new URL(path, url).href]));
  if (json) return printJson({ feed_id: made.feed_id, urls });
  console.log(`${facts(Object.entries({ id: made.feed_id, ...urls }))}\n`);
  console.log('Who has one of these addresses reads the feed. They are shown only now.');
}

async function list(options: { json?: true }): Promise<void> {
  const { client } = connectServer();
  const { feeds } = await client.feeds.list({});
  if (options.json) return printJson({ feeds });
  if (feeds.length === 0) return console.log('There are no feeds yet. `sluice feeds create` makes one.');
  const rows = feeds.map((feed) => [feed.id, plain(feed.name), feed.what, feed.rule_id ?? 'all', feed.created_at]);
  console.log(table(['ID', 'NAME', 'WHAT', 'RULE', 'CREATED'], rows));
}

async function remove(id: string, options: { json?: true }): Promise<void> {
  const { client } = connectServer();
  await client.feeds.delete({ feed_id: id });
  if (options.json) printJson({ deleted: id });
  else console.log(`The feed ${id} is deleted. Its addresses no longer work.`);
}

/** `sluice silences`: for a time, some matches wake nobody. */
import { Command, Option } from 'commander';
import type { Client, Silence } from '../../../packages/client/src/index.ts';
import { connectServer, ruleIdOf } from '../connect.ts';
import { plain, printJson, table } from '../output.ts';
import { futureTime } from '../time-option.ts';

interface AddOptions {
  readonly rule?: string[];
  readonly source?: string[];
  readonly story?: string;
  readonly author?: string;
  readonly text?: string;
  readonly until: Date;
  readonly reason: string;
  readonly json?: true;
}

export function silencesCommand(): Command {
  const json = () => new Option('--json', 'print JSON');
  return new Command('silences')
    .description('let matches wake nobody for a time; they are held, and none is lost')
    .addCommand(
      new Command('add')
        .description('silence matches for which everything holds that is given')
        .option('--rule <rules...>', 'of these rules (ids or names)')
        .option('--source <ids...>', 'of what these sources brought')
        .option('--story <id>', 'of this story')
        .option('--author <name>', 'by this author, such as @ada, or of this host')
        .option('--text <words>', 'whose text has these words so, whatever their case')
        .addOption(
          new Option('--until <when>', 'a time such as 2026-11-16T07:00:00Z, or a span: 90m, 12h, 3d')
            .argParser((text: string) => futureTime(text))
            .makeOptionMandatory(),
        )
        .requiredOption('--reason <text>', 'why, for others who see it')
        .addOption(json())
        .action(add),
    )
    .addCommand(new Command('list').description('list those that hold now').addOption(json()).action(list))
    .addCommand(
      new Command('end')
        .argument('<silence>', 'its id')
        .description('end one before its time')
        .addOption(json())
        .action(end),
    );
}

async function add(options: AddOptions): Promise<void> {
  const { client } = connectServer();
  const made = await client.silences.create({
    ...(await rulesOf(client, options.rule)),
    ...(options.source !== undefined && { source_ids: options.source }),
    ...(options.story !== undefined && { story_id: options.story }),
    ...(options.author !== undefined && { author: options.author }),
    ...(options.text !== undefined && { text: options.text }),
    until: options.until.toISOString(),
    reason: options.reason,
  });
  if (options.json) return printJson(made);
  console.log(`${made.silence_id} holds until ${made.until}. \`sluice silences end\` ends it before.`);
}

const rulesOf = async (client: Client, rules: string[] | undefined) =>
  rules && { rule_ids: await Promise.all(rules.map((one) => ruleIdOf(client, one))) };

async function list(options: { json?: true }): Promise<void> {
  const answer = await connectServer().client.silences.list();
  if (options.json) return printJson(answer);
  if (answer.silences.length === 0) return console.log('No silence holds. `sluice silences add` makes one.');
  const rows = answer.silences.map((one) => [one.silence_id, one.until, termsOf(one), madeBy(one), plain(one.reason)]);
  console.log(table(['ID', 'UNTIL', 'MATCHES', 'BY', 'REASON'], rows));
}

function termsOf({ rule_ids, source_ids, story_id, author, text }: Silence): string {
  const terms = [
    ...(rule_ids ?? []),
    ...(source_ids ?? []),
    ...(story_id === null ? [] : [story_id]),
    ...(author === null ? [] : [`by ${plain(author)}`]),
    ...(text === null ? [] : [`with "${plain(text)}"`]),
  ];
  return terms.length === 0 ? 'all' : terms.join(' ');
}

const madeBy = ({ by }: Silence): string => plain(by.key_name ?? by.kind);

async function end(id: string, options: { json?: true }): Promise<void> {
  const answer = await connectServer().client.silences.end({ silence_id: id });
  if (options.json) return printJson(answer);
  console.log(`The silence ${id} has ended.`);
}

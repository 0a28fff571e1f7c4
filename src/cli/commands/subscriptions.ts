/** `sluice subscriptions`: what agents subscribed to with MCP, what became of their events, and the end of one. */
import { Command, Option } from 'commander';
import { connectServer } from '../connect.ts';
import { CliError, plain, printJson, table } from '../output.ts';
import { wholeNumber } from './matches.ts';
import { deliveryRow } from './webhooks/webhooks.ts';

export function subscriptionsCommand(): Command {
  const json = () => new Option('--json', 'print JSON');
  const id = '<subscription>';
  const about = 'its id, as `sluice subscriptions list` shows it';
  return new Command('subscriptions')
    .description('show and end what agents subscribed to')
    .addCommand(new Command('list').description('list subscriptions of agents').addOption(json()).action(list))
    .addCommand(
      new Command('log')
        .argument(id, about)
        .description('show what was sent to it, newest first')
        .addOption(new Option('--limit <count>', 'how many at most').argParser(wholeNumber).default(20))
        .addOption(json())
        .action(log),
    )
    .addCommand(
      new Command('end').argument(id, about).description('end it at once').addOption(json()).action(endSubscription),
    );
}

async function list(options: { json?: true }): Promise<void> {
  const answer = await connectServer().client.subscriptions.list({});
  if (options.json) return printJson(answer);
  const rows = answer.subscriptions.map((one) => [
    one.id,
    plain(one.agent ?? 'gone'),
    one.event,
    plain(typeof one.arguments['rule_id'] === 'string' ? one.arguments['rule_id'] : 'all'),
    plain(one.url, 60),
    one.failing_since === null ? one.status : `failing since ${one.failing_since}`,
    one.status === 'active' ? one.expires_at : plain(one.reason ?? ''),
  ]);
  console.log(table(['ID', 'AGENT', 'EVENT', 'RULE', 'URL', 'STATUS', 'ENDS'], rows));
}

async function log(id: string, { limit, json }: { limit: number; json?: true }): Promise<void> {
  const { client } = connectServer();
  const { subscriptions } = await client.subscriptions.list({});
  const found = subscriptions.find((one) => one.id === id);
  if (found === undefined) throw new CliError(`There is no subscription ${plain(id)}.`, 1);
  const answer = await client.webhooks.deliveries({ webhook_id: found.webhook_id, limit });
  if (json) return printJson(answer);
  console.log(
    table(['EVENT', 'CREATED', 'STATUS', 'MATCHES', 'ATTEMPTS', 'LAST ANSWER'], answer.deliveries.map(deliveryRow)),
  );
}

async function endSubscription(id: string, options: { json?: true }): Promise<void> {
  await connectServer().client.subscriptions.end({ subscription_id: id });
  if (options.json) printJson({ ended: id });
  else console.log(`The subscription ${plain(id)} has ended.`);
}

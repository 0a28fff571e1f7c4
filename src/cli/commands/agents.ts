/** `sluice grants`: the agents that were connected with OAuth, and the end of one. */
import { Command, Option } from 'commander';
import { connectServer } from '../connect.ts';
import { CliError, plain, printJson, table } from '../output.ts';
import { wholeNumber } from './matches.ts';
import { deliveryRow } from './webhooks/webhooks.ts';

export function grantsCommand(): Command {
  const json = () => new Option('--json', 'print JSON');
  return new Command('grants')
    .description('list and disconnect agents that were connected with OAuth')
    .addCommand(new Command('list').description('list connected agents').addOption(json()).action(list))
    .addCommand(
      new Command('revoke')
        .argument('<grant-id>', 'the id, as `sluice grants list` shows it')
        .description('disconnect an agent at once')
        .addOption(json())
        .action(revoke),
    );
}

async function list(options: { json?: true }): Promise<void> {
  const { client } = connectServer();
  const { grants, connect_url, off_reason } = await client.grants.list({});
  if (options.json) return printJson({ grants, connect_url, off_reason });
  const rows = grants.map((grant) => [
    grant.id,
    plain(grant.client_name),
    plain(grant.client_host ?? `${grant.redirect_host} (not verified)`),
    grant.scopes.join(' '),
    grant.rule_ids === null ? 'all' : grant.rule_ids.join(' '),
    grant.created_at,
    grant.last_used_at ?? 'never',
    grant.ends_at,
  ]);
  console.log(table(['ID', 'AGENT', 'HOST', 'SCOPES', 'RULES', 'CONNECTED', 'LAST USED', 'ENDS'], rows));
  console.log(connect_url === null ? `\nOAuth is off. ${off_reason}` : `\nAgents connect to ${connect_url}`);
}

async function revoke(id: string, options: { json?: true }): Promise<void> {
  const { client } = connectServer();
  await client.grants.revoke({ grant_id: id });
  if (options.json) printJson({ revoked: id });
  else console.log(`The agent with the grant ${id} is disconnected.`);
}

/** `sluice subscriptions`: what agents subscribed to with MCP, what became of their events, and the end of one. */
export function subscriptionsCommand(): Command {
  const json = () => new Option('--json', 'print JSON');
  const id = '<subscription>';
  const about = 'its id, as `sluice subscriptions list` shows it';
  return new Command('subscriptions')
    .description('show and end what agents subscribed to')
    .addCommand(
      new Command('list').description('list subscriptions of agents').addOption(json()).action(listSubscriptions),
    )
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

async function listSubscriptions(options: { json?: true }): Promise<void> {
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

/** `sluice grants`: the agents that were connected with OAuth, and the end of one. */
import { Command, Option } from 'commander';
import { connectServer } from '../connect.ts';
import { plain, printJson, table } from '../output.ts';

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

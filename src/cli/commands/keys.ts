/** `sluice keys`: make, list and revoke API keys. Works on the store itself, whether a server runs or not. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { openAdmin } from '../../app/admin.ts';
import { DEFAULT_ACCOUNT, type Key, SCOPES, type Scope } from '../../domain/account.ts';
import { plain, printJson, table } from '../output.ts';

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly scope: Scope;
  readonly expires?: Date;
  readonly json?: true;
}

const UNITS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function keysCommand(): Command {
  const account = () => new Option('--account <name>', 'whose key (name or id)').default(DEFAULT_ACCOUNT);
  const json = () => new Option('--json', 'print JSON');
  return new Command('keys')
    .description('create, list and revoke API keys')
    .addCommand(
      new Command('create')
        .description('make a key; it is shown once')
        .addOption(account())
        .option('--name <name>', 'what it is for', 'key')
        .addOption(
          new Option('--scope <scope>', 'full: everything; read: changes nothing; ingest: only pushes events')
            .choices(SCOPES)
            .default('full'),
        )
        .addOption(
          new Option('--expires <when>', 'a time such as 2027-01-31T00:00:00Z, or a span: 12h, 30d, 8w').argParser(
            readExpiry,
          ),
        )
        .addOption(json())
        .action(create),
    )
    .addCommand(
      new Command('list')
        .description('list the keys of an account')
        .addOption(account())
        .addOption(json())
        .action(list),
    )
    .addCommand(
      new Command('revoke')
        .argument('<key-id>', 'the id, as `sluice keys list` shows it')
        .description('end a key at once')
        .addOption(account())
        .addOption(json())
        .action(revoke),
    );
}

async function create(options: CreateOptions): Promise<void> {
  await using admin = await openAdmin(process.env);
  const { key, secret } = await admin.addKey(options.account, {
    name: options.name,
    scope: options.scope,
    expiresAt: options.expires,
  });
  if (options.json) printJson({ ...toJson(key), key: secret });
  else console.log(`${secret}\n\nThis is the key ${key.id} (${key.scope}). It is shown this once: keep it safe.`);
}

async function list(options: { account: string; json?: true }): Promise<void> {
  await using admin = await openAdmin(process.env);
  const keys = await admin.keys(options.account);
  if (options.json) return printJson(keys.map(toJson));
  const rows = keys.map((key) => [
    key.id,
    plain(key.name),
    key.scope,
    `…${key.lastFour}`,
    key.createdAt.toISOString(),
    key.lastUsedAt?.toISOString() ?? 'never',
    key.expiresAt?.toISOString() ?? 'never',
  ]);
  console.log(table(['ID', 'NAME', 'SCOPE', 'KEY', 'CREATED', 'LAST USED', 'EXPIRES'], rows));
}

async function revoke(id: string, options: { account: string; json?: true }): Promise<void> {
  await using admin = await openAdmin(process.env);
  await admin.revokeKey(options.account, id);
  if (options.json) printJson({ revoked: id });
  else console.log(`The key ${id} no longer works.`);
}

const toJson = (key: Key) => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  last_four: key.lastFour,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt ?? null,
  expires_at: key.expiresAt ?? null,
});

function readExpiry(text: string): Date {
  const span = /^(\d{1,5})([hdw])$/.exec(text);
  const at =
    span === null ? new Date(text) : new Date(Date.now() + Number(span[1]) * UNITS[span[2] as keyof typeof UNITS]);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('It must be a time or a span such as 30d.');
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('It must lie in the future.');
  return at;
}

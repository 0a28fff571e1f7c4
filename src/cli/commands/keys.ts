/** `sluice keys`: make, list and revoke API keys, on the store of this machine or on a server. */
import { Command, Option } from 'commander';
import type { Answer } from '../../../packages/client/src/index.ts';
import { DEFAULT_ACCOUNT, type Key, SCOPES, type Scope } from '../../domain/account.ts';
import { connectServer } from '../connect.ts';
import { CliError, plain, printJson, table } from '../output.ts';
import type { ServerFlags } from '../server-flags.ts';
import { futureTime } from '../time-option.ts';

interface PlaceOptions extends ServerFlags {
  readonly account: string;
  readonly remote?: true;
  readonly json?: true;
}

const onStoreOrServer = (command: Command): Command =>
  command
    .addOption(new Option('--account <name>', 'whose key (name or id)').default(DEFAULT_ACCOUNT))
    .addOption(new Option('--remote', 'on the server that other commands talk to; --url and --key say so, too'))
    .addOption(new Option('--json', 'print JSON'));

export function keysCommand(): Command {
  return new Command('keys')
    .description('create, list and revoke API keys')
    .addCommand(
      onStoreOrServer(new Command('create'))
        .description('make a key; it is shown once')
        .option('--name <name>', 'what it is for', 'key')
        .addOption(
          new Option('--scope <scope>', 'full: everything; read: changes nothing; ingest: only pushes events')
            .choices(SCOPES)
            .default('full'),
        )
        .addOption(
          new Option('--expires <when>', 'a time such as 2027-01-31T00:00:00Z, or a span: 12h, 30d, 8w').argParser(
            (text: string) => futureTime(text),
          ),
        )
        .action(create),
    )
    .addCommand(onStoreOrServer(new Command('list')).description('list the keys of an account').action(list))
    .addCommand(
      onStoreOrServer(new Command('revoke'))
        .argument('<key-id>', 'the id, as `sluice keys list` shows it')
        .description('end a key at once')
        .action(revoke),
    );
}

async function create(options: PlaceOptions & WantedKey, command: Command): Promise<void> {
  await using place = await placeOf(options, command);
  const made = await place.create(options);
  if (options.json) printJson(made);
  else console.log(`${made.key}\n\nThis is the key ${made.id} (${made.scope}). It is shown this once: keep it safe.`);
}

async function list(options: PlaceOptions, command: Command): Promise<void> {
  await using place = await placeOf(options, command, { mustExist: true });
  const keys = await place.list();
  if (options.json) return printJson(keys);
  const rows = keys.map((key) => [
    key.id,
    plain(key.name),
    key.scope,
    `…${key.last_four}`,
    key.created_at,
    key.last_used_at ?? 'never',
    key.expires_at ?? 'never',
  ]);
  console.log(table(['ID', 'NAME', 'SCOPE', 'KEY', 'CREATED', 'LAST USED', 'EXPIRES'], rows));
}

async function revoke(id: string, options: PlaceOptions, command: Command): Promise<void> {
  await using place = await placeOf(options, command, { mustExist: true });
  await place.revoke(id);
  if (options.json) printJson({ revoked: id });
  else console.log(`The key ${id} no longer works.`);
}

/** The store of this machine, unless a flag asks for a server: SLUICE_URL alone may stand there for other commands. */
async function placeOf(
  { account, remote, url, key }: PlaceOptions,
  command: Command,
  local?: { readonly mustExist: true },
): Promise<KeyPlace> {
  if (!remote && url === undefined && key === undefined) return keysInStore(account, local);
  if (command.getOptionValueSource('account') === 'cli')
    throw new CliError('On a server the keys are those of the account that asks: leave out --account.', 2);
  return keysOnServer();
}

/** `sluice keys` works on the store of this machine, or on a server, with a key of it. */
type ListedKey = Answer<'listKeys'>['keys'][number];

interface WantedKey {
  readonly name: string;
  readonly scope: Scope;
  readonly expires?: Date;
}

export interface KeyPlace extends AsyncDisposable {
  create(wanted: WantedKey): Promise<Answer<'createKey'>>;
  list(): Promise<ListedKey[]>;
  revoke(id: string): Promise<void>;
}

/** Every account of the store. Works whether a server runs or not. */
export async function keysInStore(account: string, local?: { readonly mustExist: true }): Promise<KeyPlace> {
  const { openAdmin } = await import('../../app/admin.ts');
  const admin = await openAdmin(process.env, local);
  return {
    async create({ name, scope, expires }) {
      const { key, secret } = await admin.addKey(account, { name, scope, expiresAt: expires });
      return { ...listed(key), key: secret };
    },
    list: async () => (await admin.keys(account)).map(listed),
    async revoke(id) {
      await admin.revokeKey(account, id);
    },
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  };
}

/** The account of the key that asks. */
export function keysOnServer(): KeyPlace {
  const { keys } = connectServer().client;
  return {
    create: ({ name, scope, expires }) =>
      keys.create({ name, scope, ...(expires !== undefined && { expires_at: expires.toISOString() }) }),
    list: async () => (await keys.list()).keys,
    async revoke(id) {
      await keys.revoke({ key_id: id });
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const listed = (key: Key): ListedKey => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  last_four: key.lastFour,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
});

/** `--url` and `--key` of every command that talks to a server: they go before the environment and what is stored. */
import { type Command, Option } from 'commander';
import type { Env } from '../app/config.ts';
import { trimEnd } from '../base/parse-url.ts';
import { serverAddress } from './credentials.ts';
import { CliError } from './output.ts';

export interface ServerFlags {
  readonly url?: string;
  readonly key?: string;
}

/** Gives the flags to each command that has none inside. One that has a `--url` of its own keeps it. */
export function withServerFlags(command: Command): Command {
  for (const inside of command.commands) withServerFlags(inside);
  if (command.commands.length > 0) return command;
  const own = new Set(command.options.map(({ long }) => long));
  const flags = [
    new Option('--url <address>', 'the server, instead of SLUICE_URL').argParser(serverAddress),
    new Option('--key <key>', 'the key, instead of SLUICE_API_KEY; other users of this machine can see it').argParser(
      readKey,
    ),
  ].filter(({ long }) => !own.has(long));
  for (const flag of flags) command.addOption(flag);
  return command.hook('preAction', (_, acting) => {
    const given: Record<string, unknown> = acting.opts();
    const added = Object.fromEntries(flags.map((flag) => [flag.attributeName(), given[flag.attributeName()]]));
    Object.assign(process.env, environmentWith(added, process.env));
  });
}

function readKey(key: string): string {
  if (key.trim() === '') throw new CliError('--key is empty.', 2);
  return key.trim();
}

/**
 * Turns the flags into variables of the environment. The key in the environment belongs to the server in the
 * environment, where both are set: another server does not get it.
 */
export function environmentWith({ url, key }: ServerFlags, env: Env): Record<string, string> {
  const { SLUICE_URL: usual } = env;
  const isElsewhere = url !== undefined && Boolean(usual) && trimEnd(usual ?? '', '/') !== url;
  return {
    ...(url !== undefined && { SLUICE_URL: url }),
    ...(isElsewhere && { SLUICE_API_KEY: '' }),
    ...(key !== undefined && { SLUICE_API_KEY: key }),
  };
}

/**
 * Which server, and with which key: from flags, which stand in the environment by then, from the environment, else from what `sluice login` has stored. A stored key goes
 * to the server it was stored for, and to no other.
 */
import { readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Env } from '../app/config.ts';
import {
  ADDRESS_ERROR,
  isKeyText,
  isServerAddress,
  KEY_ERROR,
  USUAL_SERVER,
  withoutFinalSlashes,
} from '../app/server-settings.ts';
import { makeFolder, replaceFile } from '../base/durable-file.ts';
import { pathsOf, type System } from '../base/system.ts';
import { CliError } from './output.ts';

export interface Credentials {
  readonly url: string;
  readonly key: string;
}

export function credentialsPath(env: Env, system: System = process.platform): string {
  const { join } = pathsOf(system);
  const home = env['HOME'] || homedir();
  const folder = env['XDG_CONFIG_HOME'] || (system === 'win32' && env['APPDATA']) || join(home, '.config');
  return join(folder, 'sluice', 'credentials.json');
}

export function findCredentials(env: Env): Credentials {
  const { url, key } = knownCredentials(env);
  if (key !== undefined) return { url, key };
  throw new CliError(
    `There is no key for ${url}. Run \`sluice login\`, give --key, or set SLUICE_API_KEY (and SLUICE_URL).`,
    2,
  );
}

/** The server that commands talk to, and its key where one is known. */
export function knownCredentials(env: Env): { readonly url: string; readonly key: string | undefined } {
  const { SLUICE_URL: address, SLUICE_API_KEY: given } = env;
  if (address && !isServerAddress(address)) throw new CliError(`SLUICE_URL ${ADDRESS_ERROR}.`, 2);
  if (given && !isKeyText(given)) throw new CliError(`SLUICE_API_KEY ${KEY_ERROR}.`, 2);
  const stored = storedCredentials(env);
  const url = address ? withoutFinalSlashes(address) : (stored?.url ?? USUAL_SERVER);
  return { url, key: given || (stored?.url === url ? stored.key : undefined) };
}

/** An address as SLUICE_URL takes it, without slashes at its end. */
export function serverAddress(url: string): string {
  if (!isServerAddress(url)) throw new CliError('The address must begin with http:// or https://.', 2);
  return withoutFinalSlashes(url);
}

export function storedCredentials(env: Env): Credentials | undefined {
  const path = credentialsPath(env);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const { url, key } = parse(text);
  if (typeof url === 'string' && typeof key === 'string') return { url, key };
  throw new CliError(`${path} cannot be read. Run \`sluice login\` to write it anew.`);
}

function parse(text: string): { url?: unknown; key?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** Written beside and moved into place, so that at no time is there half a file, or one that others can read. */
export function storeCredentials(env: Env, credentials: Credentials): string {
  const path = credentialsPath(env);
  makeFolder(dirname(path));
  replaceFile(path, `${JSON.stringify(credentials, undefined, 2)}\n`);
  return path;
}

export const forgetCredentials = (env: Env): void => rmSync(credentialsPath(env), { force: true });

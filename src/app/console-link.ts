/** Links to the console: the address of a server as a browser reaches it, and the page that a ticket opens. */

import { existsSync } from 'node:fs';
import { systemClock } from '../base/clock.ts';
import { createEntryTickets, operatorTicket, SOON_MS } from '../service/access/tickets.ts';
import { AdminError } from './admin.ts';
import { type Config, type Env, loadConfig } from './config.ts';
import { fileOf, openStore } from './open-store.ts';
import { announcedConsole } from './server-lock.ts';

export const serverUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** A server that listens on every address of the machine is reached on its own. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

export const consoleUrl = ({ publicUrl }: Pick<Config, 'publicUrl'>, url: string): string =>
  publicUrl ?? reachable(url);

/** The ticket stands behind the `#`, which browsers send to no server: it is in no log of a proxy. */
export const entryLink = (consoleAddress: string, ticket: string): string =>
  `${consoleAddress}/#/enter?ticket=${ticket}`;

/** A link to the console for the operator, from the store of this machine. A person who can write the store needs no key. */
interface LocalEntry {
  /** The address at which the server of this store is expected. */
  readonly address: string;
  readonly link: string;
  readonly endsAt: Date;
}

export async function ticketFromStore(env: Env): Promise<LocalEntry> {
  const config = loadConfig(env);
  const file = fileOf(config);
  // A store that was made just now would have no server and no key.
  if (file !== undefined && !existsSync(file))
    throw new AdminError(
      `There is no key, and no database of a server at ${file}. Run \`sluice login\`, or this in the folder where the server was started.`,
    );
  await using store = await openStore(config);
  const entryTickets = createEntryTickets(store, systemClock);
  const entry = await operatorTicket({ store, clock: systemClock, entryTickets }, SOON_MS);
  if (entry === undefined)
    throw new AdminError('The account of the operator has no full key that works. `sluice keys create` makes one.');
  // The server may have been started with other settings than this command.
  const announced = file && announcedConsole(file);
  const address = announced ?? consoleUrl(config, serverUrl(config.host, config.port));
  return { address, link: entryLink(address, entry.ticket), endsAt: entry.endsAt };
}

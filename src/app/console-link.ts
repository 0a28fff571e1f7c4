/** Links to the console: the address of a server as a browser reaches it, and the page that a ticket opens. */
import type { Config } from './config.ts';

export const serverUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** A server that listens on every address of the machine is reached on its own. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

export const consoleUrl = ({ publicUrl }: Pick<Config, 'publicUrl'>, url: string): string =>
  publicUrl ?? reachable(url);

/** The ticket stands behind the `#`, which browsers send to no server: it is in no log of a proxy. */
export const entryLink = (consoleAddress: string, ticket: string): string =>
  `${consoleAddress}/#/enter?ticket=${ticket}`;

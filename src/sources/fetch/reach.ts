/**
 * Which addresses a source may connect to. Public ones always. A private one only where the operator asked for it: the
 * source has `allow_private: true`, or its URL names the private address itself; sources of accounts never may. The address is checked at each
 * connection, and the connection goes to the address that was checked, so a public name that later resolves into the
 * private network is refused. A redirect never leads from a public address to a private one.
 */
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, SourceError } from './source-error.ts';

export interface ReachPolicy {
  readonly isPublic: (address: string) => boolean;
  readonly allowPrivate: boolean;
  /** Whether a URL may name a private address itself: it may, unless this is false. */
  readonly allowNamed?: boolean | undefined;
  readonly resolve: ResolveName;
}

/** As `dns.lookup` with `all`. */
export type ResolveName = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void;

/** One request and its redirects: where the first connection went decides where the later ones may go. */
export class Trip {
  readonly #policy: ReachPolicy;
  #startedPrivate: boolean | undefined;

  constructor(policy: ReachPolicy) {
    this.#policy = policy;
  }

  /** Answers why the addresses of a URL may not be connected to; undefined when they may. */
  refusalOf(url: string, addresses: readonly string[]): SourceError | undefined {
    if (addresses.length === 0) return new SourceError(`${hostOf(url)} has no address.`);
    const isPrivate = addresses.some((address) => !this.#policy.isPublic(address));
    const isFirst = this.#startedPrivate === undefined;
    const { allowPrivate, allowNamed = true } = this.#policy;
    const mayBePrivate = isFirst ? allowPrivate || (allowNamed && literalIn(url) !== undefined) : this.#startedPrivate;
    if (isPrivate && !mayBePrivate) return privateError(url, isFirst, allowNamed);
    this.#startedPrivate ??= isPrivate;
    return undefined;
  }

  /** A host that is an address is never looked up, so it is checked here. */
  checkLiteral(url: string): void {
    const literal = literalIn(url);
    const refusal = literal === undefined ? undefined : this.refusalOf(url, [literal]);
    if (refusal !== undefined) throw refusal;
  }

  lookupFor(url: string): LookupFunction {
    return (hostname, options, callback) =>
      this.#policy.resolve(hostname, { all: true }, (error, addresses) => {
        const failure =
          error ??
          this.refusalOf(
            url,
            addresses.map(({ address }) => address),
          );
        if (failure !== undefined) return callback(failure, '', 0);
        if (options.all === true) return callback(null, addresses);
        callback(null, addresses[0]!.address, addresses[0]!.family);
      });
  }
}

function literalIn(url: string): string | undefined {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

const privateError = (url: string, isFirst: boolean, isOperators: boolean): SourceError =>
  new SourceError(
    isFirst && !isOperators
      ? `${hostOf(url)} has a private address. Sources of accounts are read from public addresses only.`
      : isFirst
        ? `${hostOf(url)} resolves to a private address. Set \`allow_private: true\` for this source if it may read from there.`
        : `A redirect leads to ${hostOf(url)}, which has a private address. Redirects from public to private addresses are not followed.`,
  );

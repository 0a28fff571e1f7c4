/**
 * The client: every operation of the service as a typed function, and matches as a stream that resumes by itself.
 * For Node and for browsers; it has no dependencies, and nothing of the server in it.
 */
import { type Answer, CLIENT_ROUTES, type Input, type Match, METHODS, ONCE, type OperationName } from './operations.ts';
import { type MatchStream, type StreamOptions, streamMatches } from './stream.ts';
import { type ClientOptions, createTransport, queryString } from './transport.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For Create Rule: the same key and request give the same rule. One is made up when it is left out. */
  readonly idempotencyKey?: string;
}

/** An operation without input is called without one. */
type Call<Name extends OperationName> =
  Record<string, never> extends Input<Name>
    ? (input?: Input<Name>, options?: CallOptions) => Promise<Answer<Name>>
    : (input: Input<Name>, options?: CallOptions) => Promise<Answer<Name>>;

type Calls<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends OperationName ? Call<Table[Key]> : Calls<Table[Key]>;
};

export interface Client extends Omit<Calls<typeof METHODS>, 'matches'> {
  readonly matches: Calls<(typeof METHODS)['matches']> & {
    /** Page by page to the oldest, newest first; `limit` is how many there are on a page. */
    pages(input?: Input<'listMatches'>, options?: CallOptions): AsyncIterable<Match[]>;
    /** Matches as they are stored, from now on or after a cursor, without a gap and without a repeat. */
    stream(options?: StreamOptions): MatchStream;
  };
}

type AnyInput = Readonly<Record<string, unknown>>;
type AnyCall = (input?: AnyInput, options?: CallOptions) => Promise<unknown>;
type Names = OperationName | { readonly [name: string]: Names };

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const callOf =
    (name: OperationName): AnyCall =>
    (input = {}, { signal, idempotencyKey } = {}) =>
      transport.send({ ...requestOf(name, input, idempotencyKey), repeatable: !ONCE.has(name), signal });
  const callsOf = (names: Names): unknown =>
    typeof names === 'string'
      ? callOf(names)
      : Object.fromEntries(Object.entries(names).map(([key, inside]) => [key, callsOf(inside)]));

  const calls = typed(callsOf(METHODS));
  const { list } = calls.matches;
  return {
    ...calls,
    matches: {
      ...calls.matches,
      async *pages(input = {}, callOptions = {}) {
        let cursor = input.cursor;
        do {
          const page = await list({ ...input, ...(cursor !== undefined && { cursor }) }, callOptions);
          if (page.matches.length > 0) yield page.matches;
          cursor = page.next_cursor;
        } while (cursor !== undefined);
      },
      stream: (streamOptions = {}) => streamMatches(transport, list, streamOptions),
    },
  };
}

/** The table of names says what each function is called; that the answers have their types is the server's promise. */
const typed = (calls: unknown): Calls<typeof METHODS> => calls as Calls<typeof METHODS>;

function requestOf(name: OperationName, input: AnyInput, idempotencyKey?: string) {
  const [method, path] = CLIENT_ROUTES[name].split(' ') as [string, string];
  if (method === 'GET') return { method, path: path + queryString(texts(input)), headers: {} };
  if (name === 'pushEvents') {
    const { lines, ...query } = input;
    return {
      method,
      path: path + queryString(texts(query)),
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines as string,
    };
  }
  return {
    method,
    path,
    headers: {
      'Content-Type': 'application/json',
      // With it, a rule whose answer was lost on the way is not made a second time.
      ...(name === 'createRule' && { 'Idempotency-Key': idempotencyKey ?? newIdempotencyKey() }),
    },
    body: JSON.stringify(input),
  };
}

/** Operations that are called with GET take texts alone. */
const texts = (input: AnyInput) => input as Readonly<Record<string, string | undefined>>;

/** Without `randomUUID`, which browsers have only where a page came over https. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

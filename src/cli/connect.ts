/** The one way from a command to a server: the client, and its failures in the words of the command line. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type ListedSource,
  type Rule,
  SluiceError,
} from '../../packages/client/src/index.ts';
import { findCredentials } from './credentials.ts';
import { CliError, err, plain, underline } from './output.ts';

export const connectServer = (credentials = findCredentials(process.env), options: Partial<ClientOptions> = {}) => ({
  url: credentials.url,
  client: createClient({ ...credentials, onRetry: tellOrStop, ...options }),
});

/** A server that does not answer ends the command at once; one that is busy is asked again. */
function tellOrStop(error: SluiceError, seconds: number): void {
  if (error.code === 'no_answer') throw error;
  if (process.stderr.isTTY)
    console.error(err.dim(`The server is busy (${error.code}); again in ${seconds.toFixed(1)} s`));
}

const ADVICE: Partial<Record<SluiceError['code'], string>> = {
  unauthenticated: 'Run `sluice login`, or set SLUICE_API_KEY to a key of this server.',
  permission_denied: '`sluice keys create` makes a key that may do more, on the machine of the server.',
};

/** All there is to say about a failure; `texts` are what was sent, by the paths of their issues. */
export function describeFailure(error: SluiceError, texts: Readonly<Record<string, string | undefined>> = {}): string {
  if (error.code === 'no_answer') return `${error.message.replace(/\.$/, '')}: is the server running?`;
  const lines = [`The server says ${error.code}: ${plain(error.message, 500)}`];
  if (error.issues.length > 1 || error.issues.some(({ path }) => texts[path] !== undefined))
    for (const issue of error.issues) lines.push(describeIssue(issue, texts[issue.path]));
  const advice = ADVICE[error.code];
  if (advice !== undefined) lines.push(advice);
  if (error.code === 'internal' && error.requestId !== undefined) lines.push(`The request id is ${error.requestId}.`);
  return lines.join('\n');
}

/** A call with rule texts: what the server refuses of them is shown under the texts themselves. */
export async function describingTexts<Value>(
  { x, firehose }: { readonly x?: string | null | undefined; readonly firehose?: string | null | undefined },
  call: () => Promise<Value>,
): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SluiceError) || error.code !== 'invalid_argument') throw error;
    const texts = { 'overrides.x': x ?? undefined, 'overrides.firehose': firehose ?? undefined };
    throw new CliError(describeFailure(error, texts), 1, error.details);
  }
}

/** Says of each platform whose text no event can ever match, and why. */
export function warnOfDeadTexts(platforms: Readonly<Record<string, { readonly reason?: string | undefined }>>): void {
  for (const [name, { reason }] of Object.entries(platforms))
    if (reason !== undefined) console.error(`Warning: ${name}: ${plain(reason, 500)}`);
}

interface Issue {
  readonly path: string;
  readonly message: string;
  readonly severity?: 'error' | 'warning';
  readonly position?: { readonly start: number; readonly end: number } | undefined;
  readonly fixes?: readonly { readonly value: string; readonly meaning: string }[] | undefined;
}

/** As a compiler says it: the text with carets under the place, what is wrong, and what would be accepted. */
export function describeIssue(
  { path, message, severity = 'error', position, fixes = [] }: Issue,
  text?: string,
): string {
  const paint = severity === 'error' ? err.red : err.yellow;
  if (text === undefined || position === undefined) return `  ${path}: ${plain(message, 500)}`;
  const [line, carets] = underline(text, position);
  const hint = fixes
    .map(
      ({ value, meaning }) => `\n  ${err.bold('try')}  ${plain(value, 1_000)}  ${err.dim(`(${plain(meaning, 200)})`)}`,
    )
    .join('');
  return `\n  ${line}\n  ${paint(carets)}\n  ${paint(severity)} ${plain(message, 500)}${hint}`;
}

// Rules on the command line may be named as people know them.

/** A rule by its id, or by its name where only one rule has it. */
export async function findRule(client: Client, idOrName: string): Promise<Rule> {
  if (idOrName.startsWith('rule_')) return client.rules.get({ rule_id: idOrName });
  const { rules } = await client.rules.list();
  const named = rules.filter(({ name }) => name === idOrName);
  if (named.length === 1) return named[0]!;
  if (named.length === 0) throw new CliError(`There is no rule "${idOrName}". \`sluice rules list\` shows all.`);
  throw new CliError(
    `${named.length} rules are named "${idOrName}". Give an id: ${named.map(({ id }) => id).join(', ')}.`,
  );
}

export type NamedSource = Pick<ListedSource, 'id' | 'name'>;

/** The source of an id, or of a name that only one source has; else why none is meant. */
export function findSource(sources: readonly NamedSource[], idOrName: string): NamedSource | string {
  const named = sources.filter(({ name }) => name === idOrName);
  const found = sources.find(({ id }) => id === idOrName) ?? (named.length === 1 ? named[0] : undefined);
  if (found !== undefined) return found;
  const why = named.length === 0 ? 'There is no source' : 'Several sources are named';
  return `${why} ${plain(idOrName, 200)}. \`sluice sources list\` shows their ids.`;
}

export const ruleIdOf = async (client: Client, idOrName: string): Promise<string> =>
  idOrName.startsWith('rule_') ? idOrName : (await findRule(client, idOrName)).id;

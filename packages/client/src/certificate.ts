/**
 * Reads a certificate without asking anyone: the signature first, then whether its lines say one thing. It needs what Node and
 * browsers have built in.
 */

export interface VerifiedCertificate {
  readonly publicKey: string;
  readonly claim: CertificateClaim;
  readonly sources: readonly CertificateSource[];
  /** How many gaps were recovered. */
  readonly gaps: number;
  readonly matches: number;
}

export interface CertificateClaim {
  readonly rule_id: string;
  readonly rule_version: number;
  readonly from: string;
  readonly to: string;
  readonly issued_at: string;
  /** How many matches the account erased since `from`: they are not in the certificate. */
  readonly erased: number;
}

export interface CertificateSource {
  readonly platform: string;
  readonly name: string;
  readonly reads_since: string;
  readonly complete_through: string;
  readonly events: number | null;
  readonly first_cursor: string | null;
  readonly last_cursor: string | null;
}

/** The certificate, the head or the proof is not what the holder of the key has issued. */
export class CertificateError extends Error {
  override readonly name: string = 'CertificateError';
}

const TITLES = ['sluice certificate 1', 'sluice certificate 2'];

/** Returns what a genuine certificate says, and throws a `CertificateError` otherwise. `key` must have signed it. */
export async function verifyCertificate(
  certificate: string | Uint8Array,
  { key }: { readonly key?: string | undefined } = {},
): Promise<VerifiedCertificate> {
  const { entries, publicKey } = await readLines(bytesOf(certificate));
  const claim = claimOf(entries[0]);
  const body = entries.slice(1, -1);
  const sources = body.filter(({ kind }) => kind === 'source').map(sourceOf);
  const gaps = body.filter(({ kind, recovered }) => kind === 'gap' && recovered === true).length;
  const matches = body.filter(({ kind, match_id }) => kind === 'match' && typeof match_id === 'string').length;
  const end = entries.at(-1);
  if (sources.length + gaps + matches !== body.length || end?.['kind'] !== 'end') throw notLines();
  if (end['sources'] !== sources.length || end['gaps'] !== gaps || end['matches'] !== matches)
    throw new CertificateError('Its lines are not complete.');
  checkSpan(claim, sources);
  if (key !== undefined && key.toLowerCase() !== publicKey) throw otherKey(publicKey);
  return { publicKey, claim, sources, gaps, matches };
}

export const otherKey = (publicKey: string): CertificateError =>
  new CertificateError(`It is signed with the key ${publicKey}.`);

function checkSpan(claim: CertificateClaim, sources: readonly CertificateSource[]): void {
  if (claim.from >= claim.to || claim.to > claim.issued_at) throw new CertificateError('Its span is not in the past.');
  const isCounted = ({ events, first_cursor, last_cursor }: CertificateSource): boolean =>
    (first_cursor === null) === (last_cursor === null) && (first_cursor !== null || !events);
  if (!sources.every(isCounted)) throw new CertificateError('A source has events and no cursors.');
  const isCovered = ({ reads_since, complete_through }: CertificateSource): boolean =>
    reads_since <= claim.from && complete_through >= claim.to;
  if (sources.length === 0 || !sources.every(isCovered))
    throw new CertificateError('Its sources do not cover the span.');
}

type Fields = Readonly<Record<string, unknown>>;

/** The entries of its lines. Each line begins with a hash of itself and of all before it, and the last hash is signed. */
async function readLines(bytes: Uint8Array<ArrayBuffer>): Promise<{ entries: Fields[]; publicKey: string }> {
  const lines = textOf(bytes).split('\n');
  const [end, signatureLine = '', keyLine = ''] = [lines.pop(), lines.pop(), lines.pop()];
  const title = lines.shift();
  if (end !== '' || title === undefined || !TITLES.includes(title))
    throw new CertificateError('It does not begin and end as it must.');
  const publicKey = /^key ([0-9a-f]{64})$/.exec(keyLine)?.[1];
  const signature = /^signature ([0-9a-f]{128})$/.exec(signatureLine)?.[1];
  if (publicKey === undefined || signature === undefined) throw new CertificateError('It has no key and signature.');
  let hash = hex(await sha256(bytesOf(title)));
  const entries: Fields[] = [];
  for (const [at, line] of lines.entries()) {
    const json = line.slice(65);
    hash = hex(await sha256(bytesOf(`${hash} ${json}`)));
    if (line !== `${hash} ${json}`) throw new CertificateError(`Line ${at + 2} is not what was signed.`);
    entries.push(readEntry(json));
  }
  await checkSignature(`${title}\n${hash}\n`, publicKey, signature);
  return { entries, publicKey };
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CertificateError('It is not UTF-8.');
  }
}

function readEntry(json: string): Fields {
  try {
    const entry: unknown = JSON.parse(json);
    if (isFields(entry)) return entry;
  } catch {}
  throw notLines();
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const notLines = (): CertificateError => new CertificateError('Its lines are not those of a certificate.');

const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** As `toISOString` writes it, so that two of them compare as texts do. */
export const isInstant = (value: unknown): value is string =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);

function claimOf(entry: Fields = {}): CertificateClaim {
  const { kind, rule_id, rule_version, from, to, issued_at, erased = 0 } = entry;
  const isClaim = kind === 'claim' && isText(rule_id) && isCount(rule_version) && isCount(erased);
  if (!isClaim || !isInstant(from) || !isInstant(to) || !isInstant(issued_at)) throw notLines();
  return { rule_id, rule_version, from, to, issued_at, erased };
}

/** The first version of certificates has no counts. */
function sourceOf(entry: Fields): CertificateSource {
  const { platform, name, reads_since, complete_through } = entry;
  const { events = null, first_cursor = null, last_cursor = null } = entry;
  const isCursor = (value: unknown): value is string | null => value === null || isText(value);
  if (!isText(platform) || !isText(name) || !isInstant(reads_since) || !isInstant(complete_through)) throw notLines();
  if (!(events === null || isCount(events)) || !isCursor(first_cursor) || !isCursor(last_cursor)) throw notLines();
  return { platform, name, reads_since, complete_through, events, first_cursor, last_cursor };
}

/** Throws unless the holder of the key has signed the text. Key and signature are in hexadecimal. */
export async function checkSignature(text: string, publicKey: string, signature: string): Promise<void> {
  const key = await crypto.subtle
    .importKey('raw', fromHex(publicKey), { name: 'Ed25519' }, false, ['verify'])
    .catch(() => undefined);
  const isSigned = key !== undefined && (await crypto.subtle.verify('Ed25519', key, fromHex(signature), bytesOf(text)));
  if (!isSigned) throw new CertificateError('The signature is not of this key.');
}

export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

export const bytesOf = (text: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof text === 'string' ? new TextEncoder().encode(text) : new Uint8Array(text);

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

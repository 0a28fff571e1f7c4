/**
 * The log of certificates, seen from outside: whether a certificate is in it, and whether a head that is shown today goes on from
 * the head that was remembered. Trees and proofs are as RFC 9162 has them.
 */
import type { CertificateHead, LoggedCertificate } from './api.ts';
import {
  bytesOf,
  CertificateError,
  checkSignature,
  isCount,
  isFields,
  isInstant,
  otherKey,
  sha256,
  type VerifiedCertificate,
  verifyCertificate,
} from './certificate.ts';
import { createTransport, queryString } from './transport.ts';

/** The log was changed, or there are two of them. Both heads are signed: they are the evidence. */
export class LogForkError extends CertificateError {
  override readonly name = 'LogForkError';
  readonly remembered: CertificateHead;
  readonly shown: CertificateHead;

  constructor(message: string, remembered: CertificateHead, shown: CertificateHead) {
    super(message);
    this.remembered = remembered;
    this.shown = shown;
  }
}

interface Trust {
  /** The key that must have signed; without it, any key that signed all of it. */
  readonly key?: string | undefined;
}

/** A head of any shape, once its signature is known to be right. */
export async function verifyHead(head: unknown, { key }: Trust = {}): Promise<CertificateHead> {
  if (!isFields(head)) throw notHead();
  const { size, root, at, public_key, signature } = head;
  if (!isCount(size) || !isHash(root) || !(at === null || isInstant(at))) throw notHead();
  if (!isHex(public_key, 64) || !isHex(signature, 128)) throw notHead();
  await checkSignature(`sluice certificate log 1\n${size}\n${root}\n${at ?? ''}\n`, public_key, signature);
  if (key !== undefined && key.toLowerCase() !== public_key) throw otherKey(public_key);
  return { size, root, at, public_key, signature };
}

const notHead = (): CertificateError => new CertificateError('This is not the head of a log of certificates.');
const isHash = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value);
const isHex = (value: unknown, length: number): value is string =>
  typeof value === 'string' && value.length === length && /^[0-9a-f]*$/.test(value);

/** Returns `log` of Certify's answer, or of a file, once it has the right form and its head a right signature. */
export async function readLogged(log: unknown): Promise<LoggedCertificate> {
  const { index, head } = isFields(log) ? log : {};
  if (!isCount(index)) throw notProof();
  return { index, head: await verifyHead(head), proof: proofOf(log) };
}

/** Whether a certificate is genuine and in the log of its own key. `log` is what Certify answered with it. */
export async function verifyLogged(
  certificate: string | Uint8Array,
  log: LoggedCertificate,
  trust: Trust = {},
): Promise<VerifiedCertificate> {
  const verified = await verifyCertificate(certificate, trust);
  const { index, head, proof } = await readLogged(log);
  if (head.public_key !== verified.publicKey) throw otherKey(head.public_key);
  if (!(await isIncluded(await leafHash(certificate), index, proof, head)))
    throw new CertificateError(`It is not certificate ${index} of the log.`);
  return verified;
}

const leafHash = (certificate: string | Uint8Array): Promise<Bytes> => sha256(joined([0], bytesOf(certificate)));

/**
 * Whether a head goes on from one that was remembered: the log has all that it had then, at the same places, and what was added.
 * Throws a `LogForkError` otherwise. Both heads are of one key; `key` allows another one for the later head, and no others.
 */
export async function verifyConsistency(
  remembered: CertificateHead,
  shown: CertificateHead,
  proof: readonly string[],
  { key }: Trust = {},
): Promise<void> {
  await verifyHead(remembered);
  await verifyHead(shown, { key });
  const fork = (message: string): LogForkError => new LogForkError(message, remembered, shown);
  if (key === undefined && shown.public_key !== remembered.public_key)
    throw fork(`The log was signed with the key ${remembered.public_key}, and now is with ${shown.public_key}.`);
  if (shown.size < remembered.size)
    throw fork(`The log had ${remembered.size} certificates, and now has ${shown.size}.`);
  if (!(await isConsistent(remembered, shown, proofOf({ proof }))))
    throw fork(`The log of ${shown.size} certificates does not begin with the ${remembered.size} that it had.`);
}

export interface LogOptions extends Trust {
  /** The address of the installation. */
  readonly url: string;
  /** Heads that this one must go on from. */
  readonly remembered?: readonly CertificateHead[];
  readonly fetch?: typeof fetch;
}

/**
 * Asks an installation for the head of its log, and answers with it once it goes on from the remembered ones. Remember it in their
 * place.
 */
export async function checkLog({ url, key, remembered = [], fetch }: LogOptions): Promise<CertificateHead> {
  const get = getFrom(url, fetch);
  const shown = await verifyHead(await get('head', {}), { key });
  for (const earlier of remembered) {
    const sizes = { from: String(earlier.size), to: String(shown.size) };
    // Between a log and a smaller one there is no proof to ask for.
    const proof = shown.size > earlier.size ? proofOf(await get('proof', sizes)) : [];
    await verifyConsistency(earlier, shown, proof, { key });
  }
  return shown;
}

/** Asks an installation for the place of a certificate in the log of a head that was checked. */
export async function findInLog(
  certificate: string | Uint8Array,
  head: CertificateHead,
  { url, fetch }: Pick<LogOptions, 'url' | 'fetch'>,
): Promise<LoggedCertificate> {
  const leaf = toBase64(await leafHash(certificate));
  const answer = await getFrom(url, fetch)('proof', { leaf, size: String(head.size) });
  const index = isFields(answer) ? answer['index'] : undefined;
  if (!isCount(index)) throw notProof();
  return { index, head, proof: proofOf(answer) };
}

function getFrom(url: string, fetch: LogOptions['fetch']) {
  const transport = createTransport({ url, ...(fetch && { fetch }) });
  return (name: 'head' | 'proof', query: Readonly<Record<string, string>>): Promise<unknown> =>
    transport.send({
      method: 'GET',
      path: `/certificates/${name}${queryString(query)}`,
      headers: {},
      repeatable: true,
    });
}

function proofOf(answer: unknown): string[] {
  const proof = isFields(answer) ? answer['proof'] : undefined;
  if (!Array.isArray(proof) || !proof.every(isHash)) throw notProof();
  return proof;
}

const notProof = (): CertificateError => new CertificateError('This is no proof of a log of certificates.');

type Bytes = Uint8Array<ArrayBuffer>;

/** RFC 9162, 2.1.3.2: whether the proof leads from the leaf to the root. */
async function isIncluded(
  leaf: Bytes,
  index: number,
  proof: readonly string[],
  { size, root }: CertificateHead,
): Promise<boolean> {
  if (index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const other of proof.map(fromBase64)) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = await parentHash(other, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = await parentHash(hash, other);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && toBase64(hash) === root;
}

/** RFC 9162, 2.1.4.2: whether the proof shows that the later log begins with the earlier one. */
async function isConsistent(
  earlier: CertificateHead,
  later: CertificateHead,
  proof: readonly string[],
): Promise<boolean> {
  if (earlier.size === later.size) return proof.length === 0 && earlier.root === later.root;
  if (earlier.size === 0) return proof.length === 0;
  let [at, last] = [earlier.size - 1, later.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  // The earlier log is a complete subtree of the later one: its root is where the way begins.
  const [first, ...rest] = (at === 0 ? [earlier.root, ...proof] : proof).map(fromBase64);
  if (first === undefined) return false;
  let [from, to] = [first, first];
  for (const other of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [from, to] = [await parentHash(other, from), await parentHash(other, to)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else to = await parentHash(to, other);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && toBase64(from) === earlier.root && toBase64(to) === later.root;
}

const parentHash = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(joined([1], left, right));
const half = (number: number): number => Math.floor(number / 2);

const joined = (...parts: readonly ArrayLike<number>[]): Bytes => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

const toBase64 = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const fromBase64 = (text: string): Bytes =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/**
 * A self-signed certificate for this machine, made at run time, so that no private key is in the sources. It writes X.509
 * in DER by hand, because Node can read certificates but not make them.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

export interface Certificate {
  /** Both in PEM. */
  readonly key: string;
  readonly cert: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const BOOLEAN = 0x01;
const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;

// Object identifiers, already encoded.
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const BASIC_CONSTRAINTS = '551d13';

/** A self-signed certificate for `localhost`, 127.0.0.1 and ::1. */
export function selfSigned(from: Date, to: Date): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, oid(ECDSA_WITH_SHA256));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, oid(COMMON_NAME), der(UTF8_STRING, Buffer.from('Sluice sandbox')))),
  );
  const body = der(
    SEQUENCE,
    der(CONTEXT | CONSTRUCTED, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    der(SEQUENCE, time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(CONTEXT | CONSTRUCTED | 3, der(SEQUENCE, altNames(), isAuthority())),
  );
  const certificate = der(SEQUENCE, body, algorithm, bits(signed(body, privateKey)));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: new X509Certificate(certificate).toString(),
  };
}

const signed = (body: Buffer, key: KeyObject): Buffer => sign('sha256', body, key);

const altNames = (): Buffer => {
  const addresses = [Buffer.of(127, 0, 0, 1), Buffer.concat([Buffer.alloc(15), Buffer.of(1)])];
  const names = [der(CONTEXT | 2, Buffer.from('localhost')), ...addresses.map((address) => der(CONTEXT | 7, address))];
  return der(SEQUENCE, oid(SUBJECT_ALT_NAME), der(OCTET_STRING, der(SEQUENCE, ...names)));
};

const isAuthority = (): Buffer =>
  der(
    SEQUENCE,
    oid(BASIC_CONSTRAINTS),
    der(BOOLEAN, Buffer.of(0xff)),
    der(OCTET_STRING, der(SEQUENCE, der(BOOLEAN, Buffer.of(0xff)))),
  );

const oid = (hex: string): Buffer => der(OBJECT_ID, Buffer.from(hex, 'hex'));

/** No bits are left over in the last byte. */
const bits = (bytes: Buffer): Buffer => der(BIT_STRING, Buffer.of(0), bytes);

/** `20261115083000Z` */
const time = (date: Date): Buffer =>
  der(GENERALIZED_TIME, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z$/g, '')}Z`));

/** A tag, a length, and what is inside. */
function der(tag: number, ...inside: readonly Buffer[]): Buffer {
  const content = Buffer.concat(inside);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

/** The public log of certificates in the OpenAPI document. */
import { exampleHead, exampleLogged } from '../service/matches/certificate-log.ts';
import { type JsonObject, schemaRef } from './json-schemas.ts';
import { failures, header, parameter } from './openapi-parts.ts';

const asked = (name: string, description: string, pattern: string, example: string): JsonObject =>
  parameter(name, description, { schema: { type: 'string', pattern }, example });
const NUMBER = String.raw`^\d{1,15}$`;

const hashes = { type: 'array', items: { type: 'string' }, description: 'SHA-256 hashes, in base64url.' };
const whole = { type: 'integer' };

const operation = (
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly object[],
  content: JsonObject,
) => ({
  get: {
    operationId,
    tags: ['certificates'],
    summary,
    description,
    security: [],
    parameters,
    responses: {
      200: { description: 'Here it is.', headers: { 'X-Request-Id': header('RequestId') }, content },
      304: { description: 'Nothing changed.' },
      ...failures([400, 404, 429, 500, 503]),
    },
  },
});

const json = (schema: JsonObject, example: unknown): JsonObject => ({ 'application/json': { schema, example } });

const proofSchema = {
  type: 'object',
  required: ['proof'],
  properties: { index: whole, size: whole, from: whole, to: whole, proof: hashes },
};

const FEED_TYPES = { atom: 'application/atom+xml', rss: 'application/rss+xml', json: 'application/feed+json' };

const feed = (format: keyof typeof FEED_TYPES) =>
  operation(
    `certificateHeads${format[0]!.toUpperCase()}${format.slice(1)}`,
    `Follow the heads of the log, as ${format}`,
    'The heads after each of the last 20 certificates, newest first. The text of an entry is the head as JSON.',
    [],
    { [FEED_TYPES[format]]: { schema: { type: format === 'json' ? 'object' : 'string' } } },
  );

export const CERTIFICATE_PATHS: JsonObject = {
  '/certificates/head': operation(
    'certificateHead',
    'The signed head of the log of certificates',
    'The size and the root of the log at present, signed. The same size has the same head. Keep one: a later head must go on from it.',
    [],
    json(schemaRef('CertificateHead'), exampleHead),
  ),
  '/certificates/log': operation(
    'certificateLog',
    'List the log of certificates',
    'The hashes of certificates by their index, a thousand at most. `next` is the `from` of the next page; null at the end.',
    [
      asked('from', 'The first index; 0 without it.', NUMBER, '0'),
      asked('limit', 'From 1 to 1000; 1000 without it.', NUMBER, '100'),
    ],
    json(
      {
        type: 'object',
        required: ['from', 'size', 'leaves', 'next'],
        properties: { from: whole, size: whole, leaves: hashes, next: { type: ['integer', 'null'] } },
      },
      { from: 0, size: 1, leaves: exampleLogged.proof, next: null },
    ),
  ),
  '/certificates/proof': operation(
    'certificateProof',
    'Prove that a certificate is in the log, or that the log was only added to',
    '`leaf` and `size`: that a certificate is among the first `size`. `from` and `to`: that the log of `to` certificates begins with the log of `from`. Proofs are those of RFC 9162, at most 2 kB.',
    [
      asked('leaf', 'The hash of a certificate, or its index.', String.raw`^(\d{1,15}|[\w-]{43})$`, '0'),
      asked('size', 'With `leaf`: the size of a head; the present one without it.', NUMBER, '1'),
      asked('from', 'The size of an earlier head.', NUMBER, '1'),
      asked('to', 'With `from`: the size of a later head; the present one without it.', NUMBER, '2'),
    ],
    json(proofSchema, { index: 1, size: 2, proof: exampleLogged.proof }),
  ),
  '/certificates/heads.atom': feed('atom'),
  '/certificates/heads.rss': feed('rss'),
  '/certificates/heads.json': feed('json'),
};

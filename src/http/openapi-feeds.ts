/** Feeds and exports in the OpenAPI document: neither is an operation. The address of a feed is its key. */

import { exportInput } from '../service/matches/export-matches.ts';
import { EXPORT_PATH, NEXT_CURSOR } from './export.ts';
import type { JsonObject } from './json-schemas.ts';
import { failures, header, parameter, queryParameters } from './openapi-parts.ts';

const text = (example: string) => ({ schema: { type: 'string' }, example });

const FEED_PARAMETERS = [
  parameter('file', 'The secret, then `.atom`, `.rss` or `.json`.', {
    in: 'path',
    required: true,
    example: 'wn3…Q.atom',
  }),
  parameter('cursor', 'From the link `next` of a page.'),
];

export const feedOperation = (): JsonObject => ({
  '/feeds/{file}': {
    get: {
      operationId: 'readFeed',
      tags: ['feeds'],
      summary: 'Read a feed',
      description:
        'The newest entries of a feed, at an address that Create Feed answered. Requests with the `ETag` in `If-None-Match` are answered 304 when nothing changed.',
      security: [],
      parameters: FEED_PARAMETERS,
      responses: {
        200: {
          description: 'The feed.',
          headers: { 'X-Request-Id': header('RequestId') },
          content: {
            'application/atom+xml': text('<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'),
            'application/rss+xml': text('<rss version="2.0">…</rss>'),
            'application/feed+json': {
              schema: { type: 'object' },
              example: { version: 'https://jsonfeed.org/version/1.1' },
            },
          },
        },
        304: { description: 'Nothing changed.' },
        ...failures([400, 404, 429, 500, 503]),
      },
    },
  },
});

/** The export in the OpenAPI document: it is no operation, since its answer is a file. */
const DESCRIPTION = `Matches as a file, newest first, with the filters of List Matches: Parquet, NDJSON or CSV. An export ends after \`limit\` matches or 256 MiB of payloads. If more is left, the trailer \`${NEXT_CURSOR}\` and, in Parquet, the footer's \`sluice.next_cursor\` say where to go on. docs/export.md has the columns.

Needs a key of scope \`read\` or \`full\`, or a ticket from Create Stream Ticket. Counts as 50 requests; with \`text\`, \`author\`, \`domain\`, \`language\`, \`source\` or \`min_relevance\`, for which payloads are read, as 100.`;

const TICKET = parameter('ticket', 'For browsers, instead of a key: good for one download.');

const file = { type: 'string', contentMediaType: 'application/octet-stream' };

export function exportOperation(): JsonObject {
  return {
    [EXPORT_PATH]: {
      get: {
        operationId: 'exportMatches',
        tags: ['matches'],
        summary: 'Export matches as a file',
        description: DESCRIPTION,
        parameters: [...queryParameters(exportInput), TICKET],
        responses: {
          200: {
            description: 'The file.',
            headers: { 'X-Request-Id': header('RequestId'), RateLimit: header('RateLimit') },
            content: {
              'application/vnd.apache.parquet': { schema: file },
              'application/x-ndjson': {
                schema: { type: 'string' },
                example: '{"id":"match_01k3zqb2v4n8s6d0f3h5j7k9m1"}',
              },
              'text/csv': { schema: { type: 'string' }, example: 'id,created_at,platform' },
            },
          },
          ...failures([400, 401, 403, 404, 429, 500, 503]),
        },
      },
    },
  };
}

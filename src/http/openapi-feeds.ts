/** A feed in the OpenAPI document: its address is the key. */
import type { JsonObject } from './json-schemas.ts';
import { failures, header } from './openapi-parts.ts';

const text = (example: string) => ({ schema: { type: 'string' }, example });

export const feedOperation = (): JsonObject => ({
  '/feeds/{file}': {
    get: {
      operationId: 'readFeed',
      tags: ['feeds'],
      summary: 'Read a feed',
      description:
        'The newest entries of a feed, at an address that Create Feed answered. Conditional requests (`If-None-Match`, `If-Modified-Since`) are answered 304 when nothing changed.',
      security: [],
      parameters: [
        {
          name: 'file',
          in: 'path',
          required: true,
          description: 'The secret, then `.atom`, `.rss` or `.json`.',
          schema: { type: 'string' },
          example: 'wn3…Q.atom',
        },
        {
          name: 'cursor',
          in: 'query',
          required: false,
          description: 'From the link `next` of a page.',
          schema: { type: 'string' },
        },
      ],
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

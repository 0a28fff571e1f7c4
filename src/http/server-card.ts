/**
 * The server card: how a client reaches the tool server, before it connects. Its format is young and its place not agreed
 * on, so it is at both of those that are in use. It is there where the server knows its public address.
 */
import type { FastifyInstance } from 'fastify';

const CARD_PATHS = ['/mcp/server-card', '/.well-known/mcp/server-card.json'];

/** As in `server.json`. Who publishes a copy puts a namespace of their own in both places. */
export const SERVER_NAME = 'example.sluice/sluice';
export const SERVER_DESCRIPTION = 'Watch live posts and web pages by rules; get matches, and be woken by them.';

export function addServerCard(app: FastifyInstance, publicUrl: string | undefined, version: string): void {
  if (publicUrl === undefined) return;
  const base = publicUrl.replace(/\/+$/, '');
  const card = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: SERVER_NAME,
    version,
    title: 'Sluice',
    description: SERVER_DESCRIPTION,
    websiteUrl: base,
    remotes: [{ type: 'streamable-http', url: `${base}/mcp` }],
  };
  for (const path of CARD_PATHS) {
    app.get(path, (_, reply) =>
      reply
        .type('application/mcp-server-card+json; charset=utf-8')
        .headers({
          'Access-Control-Allow-Origin': '*',
          'Cross-Origin-Resource-Policy': 'cross-origin',
          'Cache-Control': 'public, max-age=300',
        })
        .send(JSON.stringify(card)),
    );
  }
}

/** Receives webhooks, checks their signatures, and prints each match once: `npm run --silent example -- examples/receive-webhooks.ts PORT SECRET`. */
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '../packages/client/src/index.ts';

const [port = '4900', secret = ''] = process.argv.slice(2);
/** Deliveries may come twice. A real receiver keeps the ids where they survive a restart. */
const seen = new Set<string>();

async function receive(request: IncomingMessage): Promise<void> {
  const { matches } = await verifyWebhook({ secret, headers: request.headers, body: await buffer(request) });
  for (const { id, rule_name, platform_post_id } of matches) {
    if (!seen.has(id)) console.log(`${rule_name}: ${platform_post_id}`);
    seen.add(id);
  }
}

const server = createServer((request, response) => {
  receive(request).then(
    () => response.writeHead(204).end(),
    () => response.writeHead(401).end(),
  );
});
server.listen(Number(port), '127.0.0.1', () => console.log(`receiving on http://127.0.0.1:${port}`));

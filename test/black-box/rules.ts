import type { Started } from './server.ts';

/** A rule on x for one word, as a client makes it; answers its id. */
export async function addRule(server: Started, word: string): Promise<string> {
  const rule = { name: word, intent: '', platforms: ['x'], overrides: { x: word } };
  const { body } = await server.call('POST', '/api.CreateRule', rule);
  return body['rule_id'] as string;
}

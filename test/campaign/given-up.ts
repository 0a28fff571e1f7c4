/** Waits until no delivery of a server is under way. */
import { setTimeout } from 'node:timers/promises';
import type { Started } from '../black-box/server.ts';

/** The ids of the deliveries that were given up, once nothing is pending any more. */
export async function givenUpOf(server: Started): Promise<Set<string>> {
  const list = (status: string, cursor?: string) =>
    server.call('POST', '/api.ListDeliveries', { status, limit: 200, ...(cursor !== undefined && { cursor }) });
  const isQuiet = async () => ((await list('pending')).body['deliveries'] as unknown[]).length === 0;
  for (let quiet = 0; quiet < 3; quiet++) {
    if (!(await isQuiet())) quiet = -1;
    await setTimeout(700);
  }
  const givenUp = new Set<string>();
  let cursor: string | undefined;
  do {
    const { body } = await list('failed', cursor);
    for (const { id, reason } of body['deliveries'] as { id: string; reason: string | null }[])
      if (reason !== null) givenUp.add(id);
    cursor = body['next_cursor'] as string | undefined;
  } while (cursor !== undefined);
  return givenUp;
}

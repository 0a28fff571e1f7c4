/** Everything of a webhook since a time once more, in slices that leave the writer free for others in between. */
import { storedSince } from '../rows/owed.ts';
import type { Write } from './writes.ts';

export async function redeliverSince(
  write: Write,
  accountId: string,
  webhookId: string,
  since: Date,
  now: Date,
): Promise<{ deliveries: number; matches: number }> {
  let [deliveries, matches] = [0, 0];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const slice: { queued: number; next: number | undefined } = await write(
      'redeliverSlice',
      accountId,
      webhookId,
      since,
      now,
      from,
    );
    deliveries += slice.queued;
    from = slice.next;
  }
  for (const { platform, after: first } of storedSince(since)) {
    for (let after: number | undefined = first; after !== undefined; ) {
      const slice: { owed: number; next: number | undefined } = await write(
        'oweStored',
        accountId,
        webhookId,
        platform,
        after,
      );
      matches += slice.owed;
      after = slice.next;
    }
  }
  return { deliveries, matches };
}

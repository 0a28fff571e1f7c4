/** The heads of the log of certificates as a feed: whoever follows it, or keeps it, is a witness. */
import type { FeedFormat } from '../../delivery/syndication/feed-document.ts';
import { type LogParts, newestHeads } from '../outlets/certificate-heads.ts';
import { urnOf, WRITERS } from './read-feed.ts';

/** One that is empty was never updated. */
const NEVER = new Date(0);

export async function headsFeed(
  context: LogParts,
  format: FeedFormat,
  { self, hub }: { readonly self: string; readonly hub: string | undefined },
): Promise<string> {
  const heads = await newestHeads(context);
  const entries = heads.map((head) => {
    const at = new Date(head.at ?? NEVER);
    return {
      id: urnOf(`head ${head.signature}`),
      title: `Head of ${head.size} certificates`,
      text: JSON.stringify(head),
      link: undefined,
      author: undefined,
      published: at,
      updated: at,
      category: 'certificates',
    };
  });
  return WRITERS[format]({
    id: urnOf(`heads ${context.signer.publicKey}`),
    title: 'Log of certificates',
    self,
    next: undefined,
    hub,
    updated: entries[0]?.updated ?? NEVER,
    entries,
  });
}

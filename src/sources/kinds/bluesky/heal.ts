/**
 * What a host no longer has in its window, read from its archive: from the last event that was taken to the end of the
 * archive, where the live stream goes on. A counter of another instance must not be taken for this one's: the archive has to
 * have the last event, or one that was witnessed right after it.
 */
import type { SourceContext } from '../../contract/source.ts';
import { hostOf } from '../../fetch/source-error.ts';
import { readArchive } from './archive.ts';
import type { ArchiveRow } from './archive-block.ts';
import { type ArchiveHost, ArchiveRefusedError } from './archive-client.ts';
import type { Host, HostCursor, HostItem } from './host-state.ts';

/** The whole network is never silent for this long. */
const NEXT_WITHIN = 600_000_000;

export async function* healHost(context: SourceContext, host: Host, archive: ArchiveHost): AsyncIterable<HostItem> {
  const began = host.last!;
  const afterSeq = began.seq!;
  let tip = afterSeq;
  let isSure = false;
  context.live();
  try {
    for await (const batch of readArchive(context, archive, afterSeq - 1)) {
      if (!isSure && !isSameCounter(began, batch.rows, archive)) return giveUp(context, host, 'counts otherwise');
      isSure = true;
      tip = batch.tip;
      for (const { seq, time, event } of batch.rows) {
        if (seq <= afterSeq) continue;
        host.last = { seq, time, since: began.since };
        if (event !== undefined) yield { event };
      }
    }
  } catch (error) {
    if (!(error instanceof ArchiveRefusedError)) throw error;
    return giveUp(context, host, 'does not accept the key');
  }
  if (!isSure) return giveUp(context, host, 'has nothing of that time');
  host.last = { seq: Math.max(tip, host.last!.seq!), time: host.last!.time, since: began.since };
  host.isHealed = true;
  yield { healed: { from: began.time, to: host.last.time } };
}

function isSameCounter({ seq, time }: HostCursor, rows: readonly ArchiveRow[], { dids = [] }: ArchiveHost): boolean {
  const [first] = rows;
  if (first === undefined) return false;
  if (first.seq === seq) return first.time === time;
  return dids.length === 0 && first.time >= time && first.time - time <= NEXT_WITHIN;
}

/** The next connection begins at a time: what is missing becomes a hole. */
function giveUp({ trouble }: SourceContext, host: Host, why: string): void {
  trouble(`The archive of ${hostOf(host.url)} ${why}: older events than those of its window are missing.`);
  host.byTime = true;
}

/** All filtered matches as a file. */
import { client } from '../data/client.ts';
import type { FeedFilter } from '../data/feed-filter.ts';
import { figure } from '../ui/moment.ts';
import { toast } from '../ui/toast.tsx';
import { CSV_HEAD, csvLine } from './csv.ts';

const PAGE = 1_000;
/** What a browser can hold and a spreadsheet can open. The command line exports more. */
const MOST = 100_000;

type Format = 'csv' | 'ndjson';

export async function download(filter: FeedFilter, format: Format): Promise<void> {
  const lines: string[] = format === 'csv' ? [CSV_HEAD] : [];
  let count = 0;
  try {
    for await (const page of client.matches.pages({ ...filter, limit: PAGE })) {
      for (const match of page) lines.push(format === 'csv' ? csvLine(match) : JSON.stringify(match));
      count += page.length;
      if (count >= MOST) break;
    }
  } catch (error) {
    toast(`The download failed: ${(error as Error).message}`, 'bad');
    return;
  }
  save(new Blob([`${lines.join('\n')}\n`], { type: TYPES[format] }), `matches.${format}`);
  const isCut = count >= MOST ? ` These are the newest; use \`sluice matches\` for more.` : '';
  toast(`${figure(count)} matches downloaded.${isCut}`);
}

const TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

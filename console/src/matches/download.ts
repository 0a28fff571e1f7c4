/** All filtered matches as a file. */
import { client, SERVER } from '../data/client.ts';
import type { FeedFilter } from '../data/feed-filter.ts';
import { figure } from '../ui/moment.ts';
import { toast } from '../ui/toast.tsx';
import { parquetAddress } from './copy-as.ts';
import { CSV_HEAD, csvLine } from './csv.ts';

const PAGE = 1_000;
/** A browser can hold so many, and a spreadsheet can open them. The command line exports more. */
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

/** The server writes the file as it reads. A ticket of one minute stands for the session, which a link cannot carry. */
export async function downloadParquet(filter: FeedFilter): Promise<void> {
  try {
    const { ticket } = await client.createStreamTicket();
    follow(parquetAddress(SERVER, filter, ticket), 'matches.parquet');
    toast('The download has begun: at most 100,000 matches, the newest first.');
  } catch (error) {
    toast(`The download failed: ${(error as Error).message}`, 'bad');
  }
}

const TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  follow(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function follow(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

/** The filtered matches outside of the console: as a file, and as a program asks for the same. */
import { Download } from 'lucide-react';
import { SERVER } from '../data/client.ts';
import type { FeedFilter } from '../data/feed-filter.ts';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { COPIES, type CopyForm, copyOf } from './copy-as.ts';
import { download, downloadParquet } from './download.ts';

export function ExportMenu({ filter }: { filter: FeedFilter }) {
  const copy = (form: CopyForm) =>
    void copyText(copyOf(form, SERVER, filter)).then((done) =>
      done ? toast('Copied. Put your key into $KEY.') : toast('The browser did not copy it.', 'bad'),
    );
  return (
    <Menu
      trigger={
        <Button className="max-sm:px-2" icon={<Download aria-hidden className="size-3.5" />}>
          <span className="max-sm:sr-only">Export</span>
        </Button>
      }
    >
      <MenuItem onSelect={() => void download(filter, 'csv')}>Download CSV</MenuItem>
      <MenuItem onSelect={() => void download(filter, 'ndjson')}>Download NDJSON</MenuItem>
      <MenuItem onSelect={() => void downloadParquet(filter)}>Download Parquet</MenuItem>
      {(Object.keys(COPIES) as CopyForm[]).map((form) => (
        <MenuItem key={form} onSelect={() => copy(form)}>
          {COPIES[form]}
        </MenuItem>
      ))}
    </Menu>
  );
}

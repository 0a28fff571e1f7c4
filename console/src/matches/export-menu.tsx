/** The filtered matches outside of the console: as a file, and as a command that gets the same. */
import { Download } from 'lucide-react';
import { SERVER } from '../data/client.ts';
import type { FeedFilter } from '../data/feed.ts';
import { IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/copy.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { curlOf } from './curl.ts';
import { download } from './download.ts';

export function ExportMenu({ filter }: { filter: FeedFilter }) {
  return (
    <Menu
      trigger={
        <IconButton label="Export">
          <Download aria-hidden className="size-4" />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => void download(filter, 'csv')}>Download CSV</MenuItem>
      <MenuItem onSelect={() => void download(filter, 'ndjson')}>Download NDJSON</MenuItem>
      <MenuItem
        onSelect={() => {
          const isCopied = copyText(curlOf(SERVER, 'matches', filter));
          void isCopied.then((done) =>
            toast(done ? 'Copied. Put your key into $KEY.' : 'The browser did not copy it.'),
          );
        }}
      >
        Copy as curl
      </MenuItem>
    </Menu>
  );
}

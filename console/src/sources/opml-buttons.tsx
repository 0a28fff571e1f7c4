/** Brings in the feeds of a reader, and hands ours to one. */
import { Download, Upload } from 'lucide-react';
import { useRef } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { ListedSource } from '../data/queries.ts';
import { inTurn } from '../rules/in-turn.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';
import { broughtWords, feedsIn, opmlOf } from './opml.ts';
import { addressOf } from './source-words.ts';

interface OpmlButtonsProps {
  readonly sources: readonly ListedSource[];
  readonly readOnly: boolean;
}

export function OpmlButtons({ sources, readOnly }: OpmlButtonsProps) {
  const input = useRef<HTMLInputElement>(null);
  const bring = useChange(
    async (file: File) => {
      const feeds = feedsIn(await file.text());
      if (feeds === undefined) throw new Error('The file is not OPML.');
      const known = new Set(sources.map(addressOf));
      const fresh = feeds.filter(({ url }) => !known.has(url)).map(({ name, url }) => ({ id: url, name }));
      return inTurn(fresh, ({ name, id }) =>
        client.sources.create({ kind: 'feeds', name: name.slice(0, 200), options: { urls: [id] } }),
      );
    },
    ['sources', 'changes'],
  );
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([opmlOf(sources)], { type: 'text/x-opml' }));
    link.download = 'sluice.opml';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      {!readOnly && (
        <>
          <input
            ref={input}
            type="file"
            accept=".opml,.xml,text/x-opml,text/xml"
            aria-label="OPML file"
            className="sr-only"
            tabIndex={-1}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              target.value = '';
              if (file !== undefined)
                bring.mutate(file, {
                  onError: ({ message }) => toast(message, 'bad'),
                  onSuccess: (outcome) => toast(broughtWords(outcome), outcome.failed.length > 0 ? 'bad' : 'ok'),
                });
            }}
          />
          <Button
            busy={bring.isPending}
            icon={<Upload aria-hidden className="size-3.5" />}
            onClick={() => input.current?.click()}
          >
            Import OPML
          </Button>
        </>
      )}
      <Button
        icon={<Download aria-hidden className="size-3.5" />}
        obstacle={sources.some(({ kind }) => kind === 'feeds') ? undefined : 'There is no feed to export.'}
        onClick={save}
      >
        Export OPML
      </Button>
    </>
  );
}

/** The actions on a match: rate it, exclude its like from the rule, and take it elsewhere. */
import { BellOff, Copy, FilterX } from 'lucide-react';
import { SERVER } from '../data/client.ts';
import { type Match, useReadOnly } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { curlOf } from './curl.ts';
import { useMatchDialogs } from './match-dialogs.tsx';
import { RatingButtons } from './rating.tsx';
import { SendMatch } from './send-match.tsx';

export function MatchActions({ match }: { match: Match }) {
  const { act, dialog } = useMatchDialogs();
  const isReadOnly = useReadOnly();
  return (
    <div className="flex flex-wrap gap-2 border-b px-3 py-2">
      <RatingButtons match={match} />
      <Button
        size="small"
        icon={<FilterX aria-hidden className="size-3.5" />}
        obstacle={isReadOnly ? 'Your key is read only.' : undefined}
        onClick={() => act('exclude', match)}
      >
        Exclude …
      </Button>
      <Button
        size="small"
        icon={<BellOff aria-hidden className="size-3.5" />}
        obstacle={isReadOnly ? 'Your key is read only.' : undefined}
        onClick={() => act('silence', match)}
      >
        Mute …
      </Button>
      <SendMatch match={match} />
      <CopyMenu match={match} />
      {dialog}
    </div>
  );
}

function CopyMenu({ match }: { match: Match }) {
  const copy = (what: string, text: string) =>
    void copyText(text).then((done) =>
      done ? toast(`${what} copied.`) : toast('The browser did not copy it. Select the text and press Ctrl+C.', 'bad'),
    );
  return (
    <Menu
      trigger={
        <Button size="small" icon={<Copy aria-hidden className="size-3.5" />}>
          Copy
        </Button>
      }
    >
      <MenuItem onSelect={() => copy('The link to this match is', `${SERVER}#/matches/${match.id}`)}>Link</MenuItem>
      <MenuItem onSelect={() => copy('The match is', JSON.stringify(match, null, 2))}>JSON</MenuItem>
      <MenuItem onSelect={() => copy('The command is', curlOf(SERVER, 'api.ExplainMatch', { match_id: match.id }))}>
        curl: why it matched
      </MenuItem>
    </Menu>
  );
}

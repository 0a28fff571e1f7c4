/** The operators of the language, from the parser's own table. */
import { useState } from 'react';
import type { SyntaxHelp as Help } from '../../../src/rules/language.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SearchInput } from '../ui/input.tsx';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';

export function SyntaxHelp({ help, open, onClose }: { help: Help; open: boolean; onClose(): void }) {
  const [search, setSearch] = useState('');
  const wanted = search.toLowerCase();
  const found = help.operators.filter(({ name, syntax, description }) =>
    `${name} ${syntax} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <Dialog title={`Rules for ${PLATFORM_WORDS[help.platform]}`} about={help.summary} open={open} onClose={onClose}>
      <SearchInput label="Search operators" value={search} onChange={(event) => setSearch(event.target.value)} />
      <dl className="mt-3 grid gap-3">
        {found.map(({ name, syntax, description, example }) => (
          <div key={name}>
            <dt className="font-mono text-xs font-medium text-accent">{syntax}</dt>
            <dd className="text-soft">
              {description}
              <code className="mt-0.5 block font-mono text-xs text-ink">{example}</code>
            </dd>
          </div>
        ))}
      </dl>
      {found.length === 0 && <p className="mt-3 text-soft">No operators found.</p>}
      {wanted === '' && (
        <>
          <h3 className="mt-5 mb-2 font-medium">Common mistakes</h3>
          <ul className="grid list-disc gap-1.5 pl-4 text-soft">
            {help.pitfalls.map((pitfall) => (
              <li key={pitfall}>{pitfall}</li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

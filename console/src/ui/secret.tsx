/** Something that is shown this once: the reader is told so, and can copy it. */
import { TriangleAlert } from 'lucide-react';
import { CopyButton } from './copy-button.tsx';

export function Secret({ name, text, children }: { name: string; text: string; children: string }) {
  return (
    <div className="grid gap-3">
      <div className="grid gap-2 rounded-md border border-line-strong bg-sunken p-2.5">
        <code className="font-mono text-sm break-all select-all">{text}</code>
        <div>
          <CopyButton text={text} label={`Copy the ${name}`} />
        </div>
      </div>
      <p className="flex gap-2 text-warn">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        {children}
      </p>
    </div>
  );
}

/** A command or a text to copy, with what it does above it. */
import { CopyButton } from './copy-button.tsx';

export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex items-end justify-between gap-3 text-xs text-soft">
        {label}
        <CopyButton text={text} />
      </figcaption>
      {/* It can take the focus, because keyboard users could not scroll it otherwise. */}
      <pre tabIndex={0} className="overflow-x-auto rounded-md bg-sunken px-2.5 py-2 font-mono text-xs leading-5">
        {text}
      </pre>
    </figure>
  );
}

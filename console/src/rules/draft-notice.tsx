import { Button } from '../ui/button.tsx';

/** Says that what was typed earlier is back. */
export function DraftNotice({ onDiscard }: { onDiscard(): void }) {
  return (
    <div
      role="status"
      className="mb-4 flex flex-wrap items-center justify-between gap-2 rounded-lg border border-line-strong bg-sunken px-3 py-2"
    >
      <span>These are changes that you typed earlier and did not save. This browser has kept them.</span>
      <Button size="small" onClick={onDiscard}>
        Discard changes
      </Button>
    </div>
  );
}

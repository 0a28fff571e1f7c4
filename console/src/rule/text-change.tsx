/** What a rule's text was, and what it is: told by signs and words, too, for those who see no colours. */
import { RuleText } from '../ui/rule-text.tsx';

/** Without a text before, the rule is new. */
export function TextChange({ before, after }: { before: string | undefined; after: string }) {
  return (
    <div className="grid gap-1 font-mono text-xs break-words whitespace-pre-wrap">
      {before !== undefined && (
        <del className="block rounded-sm bg-bad-soft px-2 py-1 text-bad no-underline">
          <span className="sr-only">Before: </span>
          <span aria-hidden>− </span>
          <RuleText text={before} />
        </del>
      )}
      <ins className="block rounded-sm bg-ok-soft px-2 py-1 text-ok no-underline">
        <span className="sr-only">After: </span>
        <span aria-hidden>+ </span>
        <RuleText text={after} />
      </ins>
    </div>
  );
}

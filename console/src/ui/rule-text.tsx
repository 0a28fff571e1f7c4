/** A rule's text as it is written. A line is not broken between `-` and what it excludes. */
export const RuleText = ({ text }: { text: string }) =>
  text.split(/(\s)/).map((part, at) =>
    part.startsWith('-') ? (
      <span key={at} className="inline-block max-w-full">
        {part}
      </span>
    ) : (
      part
    ),
  );

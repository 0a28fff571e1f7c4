/** A platform under the name that users know. */
import { FileText, MessageSquareText } from 'lucide-react';

export const PLATFORM_NAMES = { x: 'X posts', firehose: 'Web pages' } as const;
/** The names within a sentence. */
export const PLATFORM_WORDS = { x: 'X posts', firehose: 'web pages' } as const;

const ICONS = { x: MessageSquareText, firehose: FileText };

export function PlatformBadge({ platform, short = false }: { platform: 'x' | 'firehose'; short?: boolean }) {
  const Icon = ICONS[platform];
  const name = PLATFORM_NAMES[platform];
  return (
    <span className="inline-flex items-center gap-1 text-xs whitespace-nowrap text-soft" title={name}>
      <Icon aria-hidden className="size-3.5 text-faint" />
      <span className={short ? 'sr-only' : undefined}>{name}</span>
    </span>
  );
}

import { Check, CircleAlert, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy.ts';

const SHOWN_FOR = 4_000;

const STATES = {
  copied: { words: 'Copied', icon: Check },
  failed: { words: 'Not copied: select the text and press Ctrl+C', icon: CircleAlert },
};

export interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly size?: 'small' | 'usual';
}

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label = 'Copy', size = 'small' }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof STATES>();
  useEffect(() => {
    if (state === undefined) return;
    const timer = setTimeout(() => setState(undefined), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [state]);
  const { words, icon: Icon } = state === undefined ? { words: label, icon: Copy } : STATES[state];
  return (
    <Button
      size={size}
      icon={<Icon aria-hidden className="size-3.5" />}
      onClick={() => void copyText(text).then((isCopied) => setState(isCopied ? 'copied' : 'failed'))}
    >
      <span aria-live="polite">{words}</span>
    </Button>
  );
}

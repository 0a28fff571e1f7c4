/** A field whose text is also in the address. */
import { useState } from 'react';

/**
 * The address follows what is typed a moment later, letter by letter. Shown as it comes back, it would move the caret
 * and lose letters of a person who types on; so only what came from elsewhere, such as Back, replaces what is typed.
 */
export function useTyped(inAddress: string): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(inAddress);
  const [known, setKnown] = useState(inAddress);
  /** What the field has had in it since the address last said the same. */
  const [sent, setSent] = useState<readonly string[]>([]);
  if (known !== inAddress) {
    setKnown(inAddress);
    const isEcho = sent.includes(inAddress);
    if (!isEcho) setTyped(inAddress);
    // When the address says what the field says, nothing that was typed is on its way any more.
    if (!isEcho || typed === inAddress) setSent([]);
  }
  return [
    typed,
    (text) => {
      setSent(typed === inAddress ? [text] : [...sent, text]);
      setTyped(text);
    },
  ];
}

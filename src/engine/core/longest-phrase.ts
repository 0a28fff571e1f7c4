import { KIND, nodeLength, PHRASE, payloadOf } from '../compile/program.ts';

/** The integers that the search for a program's longest phrase needs: one a term, or one a byte of a written literal. */
export function longestPhrase(code: Int32Array): number {
  let longest = 0;
  const end = nodeLength(code, 0);
  for (let at = 0; at < end; ) {
    const isPhrase = (code[at]! & KIND) === PHRASE;
    // Four bytes of a literal stand in one integer.
    if (isPhrase) longest = Math.max(longest, payloadOf(code[at]!) * 4);
    at += isPhrase ? nodeLength(code, at) : 1;
  }
  return longest;
}

/** Payloads as lines of JSON in their many spellings: escapes where none are needed, keys twice, and lines that are damaged. */
import fc from 'fast-check';

/** Now and then something that has no place there. */
export const oddly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 40, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 7, '', [], {}, true, ['x']) },
  );

/** The JSON of a payload in one of its many spellings. */
const spelled = (payload: unknown, spelling: number): string => {
  const json = JSON.stringify(payload, null, spelling % 5 === 1 ? 1 : 0);
  if (spelling % 5 === 2)
    return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (spelling % 5 === 3) return json.replaceAll('/', '\\/').replaceAll('&', '\\u0026');
  return json;
};

/** `again` are keys with values, of which one may be put in a second time: the last one counts. */
export const linesOf = (payloads: fc.Arbitrary<unknown>, again: readonly string[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(payloads, fc.nat(), fc.option(fc.tuple(fc.nat(), fc.constantFrom(...again)), { freq: 8 }))
    .map(([payload, spelling, twice]) => {
      const line = spelled(payload, spelling);
      if (twice === null) return Buffer.from(line);
      const braces = [...line.matchAll(/\{(?!\})/g)];
      const at = (braces[twice[0] % braces.length]?.index ?? 0) + 1;
      return Buffer.from(line.slice(0, at) + twice[1] + line.slice(at));
    });

const DAMAGE = Buffer.from('"\\{}[]:,0-.eu\x00\x01\x1f\x7f\x80\xbf\xc0\xe0\xed\xf0\xf4\xff tfn', 'latin1');

/** The same lines with a few bytes changed, left out, or put in. */
export const damaged = (lines: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(lines, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.nat(DAMAGE.length - 1)), { minLength: 1, maxLength: 3 }))
    .map(([line, wounds]) => {
      let bytes = line;
      for (const [where, how, what] of wounds) {
        const at = where % (bytes.length + 1);
        const put = how === 1 ? Buffer.alloc(0) : DAMAGE.subarray(what, what + 1);
        bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(how === 2 ? at : at + 1)]);
      }
      return bytes;
    });

/** Decodes a document: by its first bytes, else by the server's charset, else by the document's own declaration. */

const MARKS: readonly (readonly [encoding: string, ...bytes: number[]])[] = [
  ['utf-32be', 0x00, 0x00, 0xfe, 0xff],
  ['utf-32le', 0xff, 0xfe, 0x00, 0x00],
  ['utf-8', 0xef, 0xbb, 0xbf],
  ['utf-16be', 0xfe, 0xff],
  ['utf-16le', 0xff, 0xfe],
  // Without a byte order mark, the first character is `<`, and its bytes show the width of characters.
  ['utf-32be', 0x00, 0x00, 0x00, 0x3c],
  ['utf-32le', 0x3c, 0x00, 0x00, 0x00],
  ['utf-16be', 0x00, 0x3c],
  ['utf-16le', 0x3c, 0x00],
];

/** Never fails: when no encoding fits, bytes that are not UTF-8 become replacement characters. */
export function decodeDocument(bytes: Uint8Array, contentType: string | undefined): string {
  const shown = MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const claims = [shown, charsetOf(contentType), declaredIn(bytes), 'utf-8', 'windows-1252'];
  for (const encoding of claims) {
    const text = encoding === undefined ? undefined : tryDecode(bytes, encoding);
    if (text !== undefined) return text.replace(/^\ufeff/, '');
  }
  return new TextDecoder().decode(bytes);
}

export const charsetOf = (contentType: string | undefined): string | undefined =>
  contentType?.match(/charset\s*=\s*["']?([\w.:-]+)/i)?.[1]?.toLowerCase();

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024));
  const declared =
    head.match(/<\?xml[^<>]*?encoding\s*=\s*["']([\w.:-]+)/i) ??
    head.match(/<meta[^<>]+?charset\s*=\s*["']?([\w.:-]+)/i);
  const name = declared?.[1]?.toLowerCase();
  // The declaration could be read byte by byte, so its characters are not of two or four bytes.
  return name !== undefined && /^(utf-?16|utf-?32|u16|u32|ucs)/.test(name) ? undefined : name;
}

function tryDecode(bytes: Uint8Array, encoding: string): string | undefined {
  if (/^utf-?_?32/.test(encoding)) return decodeWide(bytes, encoding.endsWith('le'));
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeWide(bytes: Uint8Array, isLittle: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at + 4 <= bytes.byteLength; at += 4) {
    const code = view.getUint32(at, isLittle);
    text += code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
  }
  return text;
}

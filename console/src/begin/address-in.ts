/** The last part of a host that is a name without `https://` before it. Words with a dot in them have another: node.js. */
const KNOWN_ENDS = new Set(
  'com org net io dev news blog info eu uk de fr nl es it ch at be us jp br ca au in example'.split(' '),
);

/** The web address that a text is, if it is nothing else. */
export function addressIn(text: string): string | undefined {
  const address = text.trim();
  if (/\s/.test(address)) return undefined;
  if (/^https?:\/\/./i.test(address)) return address;
  const [host = '', ...path] = address.split('/');
  const labels = host.toLowerCase().split('.');
  if (labels.length < 2 || !labels.every((label) => /^[\p{L}\p{N}-]+$/u.test(label))) return undefined;
  return path.length > 0 || labels[0] === 'www' || KNOWN_ENDS.has(labels.at(-1)!) ? address : undefined;
}

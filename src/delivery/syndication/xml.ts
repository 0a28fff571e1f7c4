/** XML and HTML from plain text. Nothing is written as CDATA, so nothing can end one. */

/** Characters that XML 1.0 allows in no form, not even as a reference: controls, and the two that are no characters. */
const FORBIDDEN = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\ufffe\uffff]/gu;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For the content of an element and for an attribute in double quotes. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)
    .replaceAll('\r', '&#13;');

/** Plain text as HTML: paragraphs and line breaks stay, and nothing in it is markup. */
export const htmlParagraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${xmlText(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');

/** An element, left out when there is nothing to say. */
export const element = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${xmlText(text)}</${name}>`;

export const emptyElement = (name: string, attributes: Readonly<Record<string, string>>): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${xmlText(value)}"`)
    .join('')}/>`;

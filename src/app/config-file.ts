/** `sluice.yaml`: the settings that do not fit into variables. Every mistake in it is reported with its line. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import { readShortForm, readSource, type SourceConfig } from '../sources/kinds/kinds.ts';

export const CONFIG_FILE = 'sluice.yaml';

/** The file that a variable names, or the one in the working directory if there is one. */
export function findConfigFile(named: string | undefined): string | undefined {
  if (named !== undefined) return resolve(named);
  return existsSync(CONFIG_FILE) ? resolve(CONFIG_FILE) : undefined;
}

/** The sources of the file and those of the variable; what is wrong with them is added to the problems. */
export function readSources(named: string | undefined, short: string | undefined, problems: string[]): SourceConfig[] {
  const path = findConfigFile(named);
  const sources = [...(path === undefined ? [] : fromFile(path, problems)), ...fromVariable(short ?? '', problems)];
  const names = sources.map(({ name }) => name);
  for (const name of new Set(names.filter((one, at) => names.indexOf(one) !== at)))
    problems.push(`Two sources have the name ${name}: give one of them another \`name\`.`);
  return sources;
}

function fromVariable(short: string, problems: string[]): SourceConfig[] {
  return readShortForm(short).flatMap((given) => {
    const source = readSource(given);
    if (!('problems' in source)) return [source];
    const said = source.problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
    problems.push(`SLUICE_SOURCES, source ${String(given['kind'])}: ${said}.`);
    return [];
  });
}

function fromFile(path: string, problems: string[]): SourceConfig[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    problems.push(`${path} cannot be read: ${(error as Error).message}.`);
    return [];
  }
  return readConfigText(text, (line, message) => problems.push(`${path}:${line}: ${message}`));
}

/** The sources that a file of this text configures. */
export function readConfigText(text: string, report: (line: number, message: string) => void): SourceConfig[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineOf = (node: unknown): number => lines.linePos((node as Node | null)?.range?.[0] ?? 0).line;
  for (const { pos, message } of document.errors) report(lines.linePos(pos[0]).line, message);
  const root = document.contents;
  if (document.errors.length > 0 || root === null) return [];
  if (!isMap(root)) {
    report(lineOf(root), 'The file must hold keys such as `sources:`.');
    return [];
  }
  for (const { key } of root.items) {
    if (!isScalar(key) || key.value !== 'sources')
      report(lineOf(key), `${String(key)} is not a setting of this file: it has \`sources\` alone.`);
  }
  const list = root.get('sources', true);
  if (list === undefined || (isScalar(list) && list.value === null)) return [];
  if (!isSeq(list)) {
    report(lineOf(list), '`sources` must be a list.');
    return [];
  }
  return list.items.flatMap((item) => {
    // A kind alone is a source with all its defaults.
    const given: unknown = isScalar(item) ? { kind: item.value } : isMap(item) ? item.toJS(document) : undefined;
    if (given === undefined) {
      report(lineOf(item), 'A source is the name of a kind, or keys such as `kind: feeds`.');
      return [];
    }
    const source = readSource(given as Record<string, unknown>);
    if (!('problems' in source)) return [source];
    for (const { path, message } of source.problems)
      report(lineOf(nodeAt(item, path)), `${path.join('.')} ${message}.`);
    return [];
  });
}

/** The node of a path, or the innermost one around it that is there. */
function nodeAt(item: unknown, path: readonly PropertyKey[]): unknown {
  let node: unknown = item;
  for (const key of path) {
    const inside = isMap(node) ? keyOf(node, key) : isSeq(node) ? node.items[Number(key)] : undefined;
    if (inside === undefined) break;
    node = inside;
  }
  return node;
}

function keyOf(map: YAMLMap, key: PropertyKey): unknown {
  const pair = map.items.find((one) => isScalar(one.key) && one.key.value === key);
  return pair?.value ?? pair?.key;
}

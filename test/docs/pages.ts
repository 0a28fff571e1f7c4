/**
 * The commands of a page, in order. A fenced block says by its first line what it is:
 *   sh              runs, and must end with status 0
 *   sh fails        runs, and must end with another status
 *   sh background   keeps running until the end of the page
 *   sh example      is not run: it needs a token, another machine or another program
 */
export type BlockKind = 'run' | 'fails' | 'background' | 'example';

export interface CommandBlock {
  readonly kind: BlockKind;
  readonly text: string;
  readonly line: number;
}

const KINDS: Readonly<Record<string, BlockKind>> = {
  sh: 'run',
  'sh fails': 'fails',
  'sh background': 'background',
  'sh example': 'example',
};

export function commandBlocks(page: string): CommandBlock[] {
  const blocks: CommandBlock[] = [];
  for (const { 1: info, 2: text, index } of page.matchAll(/^```(sh[^\n]*)\n([\s\S]*?)^```$/gm)) {
    const kind = KINDS[info!.trim()];
    const line = page.slice(0, index).split('\n').length;
    if (kind === undefined) throw new Error(`line ${line}: no kind of block is called "${info}"`);
    blocks.push({ kind, text: text!.trimEnd(), line });
  }
  return blocks;
}

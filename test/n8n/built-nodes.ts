/** The n8n nodes as n8n loads them: built, and required from a folder that has n8n-workflow beside them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const PACKAGE = resolve(import.meta.dirname, '../../packages/n8n-nodes-sluice');

export type Json = Record<string, unknown>;

export interface Item {
  readonly json: Json;
  readonly pairedItem?: { readonly item: number };
}

type Method<Answer> = (this: object) => Promise<Answer>;

export interface BuiltNode {
  readonly description: Json;
  readonly methods: { readonly loadOptions: Record<string, Method<{ name: string; value: string }[]>> };
  readonly poll: Method<Item[][] | null>;
  readonly execute: Method<Item[][]>;
  readonly webhook: Method<{ workflowData?: Item[][]; noWebhookResponse?: boolean }>;
  readonly webhookMethods: { readonly default: Record<'checkExists' | 'create' | 'delete', Method<boolean>> };
}

export interface Credential {
  readonly authenticate: { readonly properties: { readonly headers: Record<string, string> } };
  readonly test: { readonly request: { readonly url: string } };
}

type NodeName = 'Sluice' | 'SluiceTrigger' | 'SluiceWebhookTrigger';
type ErrorClass = new (node: object, cause: object) => Error;

export interface BuiltNodes extends Disposable {
  readonly folder: string;
  node(name: NodeName): BuiltNode;
  readonly credential: Credential;
  /** n8n's own error for what a server refuses. */
  readonly NodeApiError: ErrorClass;
}

export function buildNodes(): BuiltNodes {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-n8n-'));
  const outDir = join(folder, 'dist');
  execFileSync(process.execPath, [join(PACKAGE, 'build.mjs'), '--outDir', outDir]);
  cpSync(join(PACKAGE, 'package.json'), join(folder, 'package.json'));
  symlinkSync(resolve(PACKAGE, '../../node_modules'), join(folder, 'node_modules'));
  const load = createRequire(join(folder, 'package.json'));
  const create = <T>(path: string, name: string): T => new (load(path) as Record<string, new () => T>)[name]!();
  return {
    folder,
    node: (name) => create<BuiltNode>(`./dist/nodes/${name}/${name}.node.js`, name),
    credential: create<Credential>('./dist/credentials/SluiceApi.credentials.js', 'SluiceApi'),
    NodeApiError: (load('n8n-workflow') as { NodeApiError: ErrorClass }).NodeApiError,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

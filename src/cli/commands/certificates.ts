/** `sluice verify`: checks certificates, without a server or against the public log of one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import {
  CertificateError,
  type CertificateHead,
  checkLog,
  findInLog,
  LogForkError,
  type LoggedCertificate,
  readLogged,
  SluiceError,
  type VerifiedCertificate,
  verifyCertificate,
  verifyHead,
  verifyLogged,
} from '../../../packages/client/src/index.ts';
import { connectServer, findRule } from '../connect.ts';
import { out, plain, printJson } from '../output.ts';
import { pastOption } from '../time-option.ts';

interface Options {
  readonly key?: string;
  readonly log?: string;
  readonly head?: string;
  readonly json?: true;
}

/** This file keeps the place of a certificate in the log, as Certify answered it. */
export const proofFileOf = (file: string): string => `${file}.log.json`;

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check certificates: the signature, that they say one thing, and that they are in the public log')
    .argument('[files...]', 'certificates; the proof of FILE is FILE.log.json')
    .option('--key <hex>', 'the public key that must have signed them')
    .option('--log <url>', 'the installation whose log must have them')
    .option('--head <file>', 'with --log: where the last head is remembered, which the log must go on from')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 when all are valid and the log was not changed, 1 otherwise.')
    .action(async (files: string[], options: Options, command: Command) => {
      if (files.length === 0 && options.log === undefined) command.error('Name certificates, or a log with --log.');
      if (options.head !== undefined && options.log === undefined) command.error('--head needs --log.');
      await verify(files, options);
    });
}

async function verify(files: readonly string[], options: Options): Promise<void> {
  const { json, log: url, head: headFile } = options;
  try {
    const head = url === undefined ? undefined : await headOf(url, files, options);
    const results: Result[] = [];
    for (const file of files) results.push(await resultOf(file, head, options));
    if (json) printJson(head === undefined ? results : { head, certificates: results });
    else {
      if (head !== undefined) console.log(headLine(head));
      for (const result of results) console.log(describe(result));
    }
    if (head !== undefined && headFile !== undefined) writeFileSync(headFile, `${JSON.stringify(head, null, 2)}\n`);
    process.exitCode = results.every(({ valid }) => valid) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const evidence =
      error instanceof LogForkError ? { remembered: error.remembered, shown: error.shown } : { remembered: null };
    if (json) printJson({ problem: error.message, ...evidence });
    else console.log([`${out.red('✗')} ${error.message}`, ...evidenceLines(error)].join('\n'));
    process.exitCode = 1;
  }
}

/** The head of the log goes on from the remembered one, and from those that the certificates came with. */
async function headOf(url: string, files: readonly string[], { key, head }: Options): Promise<CertificateHead> {
  const remembered: CertificateHead[] = [];
  if (head !== undefined && existsSync(head)) remembered.push(await verifyHead(readJson(head)));
  for (const file of files) {
    const proof = await proofOf(file);
    if (proof !== undefined) remembered.push(proof.head);
  }
  return checkLog({ url, key, remembered });
}

const proofOf = async (file: string): Promise<LoggedCertificate | undefined> =>
  existsSync(proofFileOf(file)) ? readLogged(readJson(proofFileOf(file))) : undefined;

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CertificateError(`${file} is not JSON: restore it, or remove it to begin anew.`, { cause });
  }
}

type Result = { readonly file: string } & (
  | {
      readonly valid: true;
      readonly certificate: VerifiedCertificate;
      /** Its place in the log, where that is known. */
      readonly index: number | null;
    }
  | { readonly valid: false; readonly problem: string }
);

async function resultOf(file: string, head: CertificateHead | undefined, { key, log: url }: Options): Promise<Result> {
  const bytes = readFileSync(file);
  try {
    const certificate = await verifyCertificate(bytes, { key });
    const logged = head === undefined ? await proofOf(file) : await findInLog(bytes, head, { url: url! });
    if (logged !== undefined) await verifyLogged(bytes, logged, { key });
    return { file, valid: true, certificate, index: logged?.index ?? null };
  } catch (error) {
    if (error instanceof CertificateError) return { file, valid: false, problem: error.message };
    if (error instanceof SluiceError && error.code === 'not_found')
      return { file, valid: false, problem: 'It is not in the log.' };
    throw error;
  }
}

const headLine = ({ size, at, public_key }: CertificateHead): string =>
  `${out.green('✓')} The log has ${size} certificates${at === null ? '' : `, the last of ${at}`}, signed with the key ${public_key}.`;

/** Two heads that contradict each other, each with its signature. */
const evidenceLines = (error: CertificateError): string[] =>
  error instanceof LogForkError
    ? [
        '  Keep both heads: their signatures show what the operator has said.',
        `  remembered ${JSON.stringify(error.remembered)}`,
        `  shown      ${JSON.stringify(error.shown)}`,
      ]
    : [];

function describe(result: Result): string {
  if (!result.valid) return `${out.red('✗')} ${result.file} is refused. ${result.problem}`;
  const { claim, sources, gaps, matches, publicKey } = result.certificate;
  const names = sources.map(({ name, platform, events }) => {
    const count = events === null ? '' : `, ${events} events`;
    return `${plain(name)} (${platform}${count})`;
  });
  return [
    `${out.green('✓')} ${result.file} is valid, signed with the key ${publicKey}.`,
    `  Rule ${plain(claim.rule_id)}, version ${claim.rule_version}, from ${claim.from} to ${claim.to}.`,
    `  Read: ${names.join(', ')}. Recovered gaps: ${gaps}. Matches: ${matches}.`,
    ...(claim.erased > 0 ? [`  Since then the account erased ${claim.erased} matches, of this rule or others.`] : []),
    result.index === null
      ? `  It was not looked up in the log: ${proofFileOf(result.file)} is not there. Ask with --log URL.`
      : `  It is certificate ${result.index} of the log.`,
  ].join('\n');
}

/** `sluice certify`: fetches a certificate of what a rule matched in a span, or that it matched nothing. */
interface CertifyOptions {
  readonly from: string;
  readonly to: string;
  readonly output?: string;
  readonly json?: true;
}

export function certifyCommand(): Command {
  return new Command('certify')
    .description('get a signed statement of what was read for a rule in a span of time, and what matched')
    .argument('<rule>', 'id or name')
    .addOption(pastOption('--from <time>', 'its beginning').makeOptionMandatory())
    .addOption(pastOption('--to <time>', 'its end, at most 31 days later').makeOptionMandatory())
    .option('-o, --output <file>', 'where to write it; standard output without it')
    .option('--json', 'print JSON, as Certify answers')
    .action(async (name: string, { from, to, output, json }: CertifyOptions) => {
      const { client } = connectServer();
      const rule = await findRule(client, name);
      const answer = await client.rules.certify({ rule_id: rule.id, from, to });
      const { certificate, matches, log } = answer;
      if (output !== undefined) {
        writeFileSync(output, certificate);
        writeFileSync(proofFileOf(output), `${JSON.stringify(log, null, 2)}\n`);
      }
      if (json) return printJson(answer);
      if (output === undefined) return void process.stdout.write(certificate);
      console.log(`${output} is written, and its proof beside it. Matches in it: ${matches}.`);
    });
}

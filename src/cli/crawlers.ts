/** `crawlway crawler list`, `rename` and `remove`, and what becomes of the documents of a crawler that goes. */
import { createInterface } from 'node:readline/promises';
import type { ConfigurationStateDto, CrawlerDto, FormerCrawlerDto } from '../../client/index.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption, toJsonBody, toQuery } from './client.js';
import { type JsonOption, pluralize, printJson } from './output.js';
import { formatTable } from './table.js';

type Options = ServerOption & JsonOption;
export type DecisionOptions = Options & { readonly documents?: string; readonly yes?: boolean };

const CHOICES = 'delete, keep, or hand-over=CRAWLER';

interface Decision {
  readonly documents: string;
  readonly to?: string;
}

export async function listCrawlers(options: Options): Promise<void> {
  const client = new ServerClient(options);
  const crawlers = await client.list<CrawlerDto>('/crawlers');
  const former = await client.list<FormerCrawlerDto>('/former-crawlers');
  if (options.json) return printJson({ crawlers, former });
  const rows = [
    ...crawlers.map(({ name, state, indexed }) => [name, state, indexed, '']),
    ...former.map(({ name, indexed, decision = 'undecided', to }) => [
      name,
      'not in the configuration',
      indexed,
      to === undefined ? decision : `${decision} to ${to}`,
    ]),
  ];
  process.stdout.write(`${formatTable(['CRAWLER', 'STATE', 'DOCUMENTS', 'DECISION'], rows)}\n`);
}

export async function renameCrawler(name: string, newName: string, options: DecisionOptions): Promise<void> {
  const client = new ServerClient(options);
  const decision = await decide(client, name, { ...options, documents: options.documents ?? 'hand-over' }, newName);
  const body = toJsonBody({ name: newName, ...decision });
  await putInForce(client, 'POST', `/crawlers/${encodeURIComponent(name)}/rename?confirm=true`, body);
  report(`${name} is now ${newName}`, decision, options, newName);
}

/** Also decides about the documents of a crawler that is not in the configuration any more. */
export async function removeCrawler(name: string, options: DecisionOptions): Promise<void> {
  const client = new ServerClient(options);
  const decision = await decide(client, name, options);
  const former = await client.list<FormerCrawlerDto>('/former-crawlers');
  if (former.some((crawler) => crawler.name === name)) {
    await client.call('POST', `/former-crawlers/${encodeURIComponent(name)}/documents`, toJsonBody(decision));
  } else {
    const query = toQuery({ ...decision, confirm: true });
    await putInForce(client, 'DELETE', `/crawlers/${encodeURIComponent(name)}${query}`);
  }
  report(`${name} is removed`, decision, options);
}

const putInForce = (client: ServerClient, method: string, path: string, body?: { type: string; text: string }) =>
  client.call<ConfigurationStateDto>(method, path, body, { 'if-match': '*' });

/** Reads `--documents`, or asks on a terminal; nothing is deleted before somebody has said so. */
async function decide(
  client: ServerClient,
  name: string,
  { documents, yes }: DecisionOptions,
  newName?: string,
): Promise<Decision> {
  const { indexed } = await client.call<CrawlerDto>('GET', `/crawlers/${encodeURIComponent(name)}`);
  const noun = pluralize(indexed, 'document');
  const answer = documents ?? (await ask(`${name} has ${noun} in the index. What becomes of them: ${CHOICES}? `));
  const decision = parseDecision(answer, newName);
  if (decision.documents === 'delete' && indexed > 0 && !yes) {
    const question = `${noun} of ${name} will be deleted from the index. Continue? [y/N] `;
    if (!/^y(es)?$/i.test(await ask(question, 'use --yes'))) throw new UsageError('nothing was changed');
  }
  return decision;
}

function parseDecision(text: string, newName: string | undefined): Decision {
  const [documents = '', to = newName] = text.trim().split('=', 2);
  if (documents === 'delete' || documents === 'keep') return { documents };
  if (documents === 'hand-over' && to) return { documents, to };
  throw new UsageError(`--documents is ${JSON.stringify(text)}, but it has to be ${CHOICES}`);
}

async function ask(question: string, remedy = `say it with --documents: ${CHOICES}`): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(`${question.trim()} Without a terminal, ${remedy}.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

function report(done: string, decision: Decision, { json }: JsonOption, newName?: string): void {
  const { documents, to } = decision;
  const effect =
    documents === 'delete'
      ? 'its documents are being deleted'
      : documents === 'keep'
        ? 'its documents stay in the index'
        : to === newName
          ? 'its URLs and documents keep their history'
          : `its documents are being handed over to ${to}`;
  if (json) printJson(decision);
  else process.stdout.write(`${toPrintable(`${done}; ${effect}`)}\n`);
}

import { splitIntoChunks } from '../../domain/content/chunks.js';
import type { Chunk } from '../../domain/content/content-definition.js';
import { isPage } from '../../domain/content/document-types.js';
import { OutputBudget } from '../../domain/content/output-budget.js';
import type { ErrorCode } from '../../domain/fetch/error-codes.js';
import type { PushDocument } from '../../domain/push/order.js';
import { createPartUri } from '../../domain/push/parts.js';
import type { Clock } from '../ports/clock.js';
import type { PageContent, PagePart } from '../ports/page-content.js';
import { TIMED_OUT, withTimeLimit } from '../support/within.js';
import { type Digest, hashContent, onOneLine } from './content-hash.js';
import {
  type AsyncStep,
  BUILT_IN_STEPS,
  createTextPart,
  type DocumentDraft,
  type DocumentStep,
  type FetchedPage,
  getAccessMetas,
} from './document-steps.js';

export interface DocumentTools {
  readonly digest: Digest;
  readonly steps: readonly DocumentStep[];
  readonly clock: Pick<Clock, 'now' | 'at'>;
}

/** Thrown when a step fails or takes too long, or when the document is too large to be delivered. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

const NO_BYTES = new Uint8Array(0);

/**
 * Builds the document that sinks receive. Returns a promise only if a step is asynchronous.
 * @throws StepFailed, or rejects with it, when a step fails or the document exceeds its budget
 */
export function buildDocument(page: FetchedPage, tools: DocumentTools): PushDocument | Promise<PushDocument> {
  const draft = createDraft(page);
  const { steps } = tools;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]!;
    if (step.kind === 'async') return resumeBuilding(page, tools, draft, index);
    step.run(draft, page);
  }
  return createDocument(page, draft, tools.digest);
}

const createDraft = ({ mediaType }: FetchedPage): DocumentDraft => ({
  contentMetas: [],
  headMetas: [],
  visitMetas: [],
  master: { bytes: NO_BYTES, mimeType: mediaType, fileName: '' },
  text: '',
});

async function resumeBuilding(
  page: FetchedPage,
  tools: DocumentTools,
  initialDraft: DocumentDraft,
  nextStep: number,
): Promise<PushDocument> {
  let draft = initialDraft;
  for (const step of tools.steps.slice(nextStep)) {
    if (step.kind === 'sync') step.run(draft, page);
    else draft = await runStep(step, draft, page, tools.clock);
  }
  const partDrafts = page.content.parts?.map((part) => draftPart(page, part));
  for (const partDraft of partDrafts ?? [])
    for (const step of tools.steps)
      if (step.kind === 'async') partDraft.draft = await runStep(step, partDraft.draft, partDraft.page, tools.clock);
  return createDocument(page, draft, tools.digest, partDrafts);
}

/** The step gets its own copy of the draft, so that whatever continues of an earlier step changes nothing. */
async function runStep(
  step: AsyncStep,
  draft: DocumentDraft,
  page: FetchedPage,
  clock: DocumentTools['clock'],
): Promise<DocumentDraft> {
  const copy: DocumentDraft = {
    ...draft,
    contentMetas: [...draft.contentMetas],
    headMetas: [...draft.headMetas],
    visitMetas: [...draft.visitMetas],
  };
  const { name, timeLimit, failure } = step;
  let result: unknown;
  try {
    result = await withTimeLimit(clock, timeLimit, (signal) => step.run(copy, page, signal));
  } catch (error) {
    throw new StepFailed(failure, `the step ${name} failed: ${String(error).slice(0, 1_000)}`);
  }
  if (result === TIMED_OUT) throw new StepFailed(failure, `the step ${name} took longer than ${timeLimit / 1000} s`);
  return copy;
}

function createDocument(
  page: FetchedPage,
  draft: DocumentDraft,
  digest: Digest,
  partDrafts = page.content.parts?.map((part) => draftPart(page, part)),
  uri = page.url.href,
): PushDocument {
  const { contentMetas, visitMetas, text } = draft;
  const contentMetaNames = new Set(contentMetas.map(({ name }) => name));
  const headMetas = draft.headMetas.filter(({ name }) => !contentMetaNames.has(name));
  const budget = new OutputBudget(measureSource(page));
  const parts = partDrafts && createPartDocuments(partDrafts, digest, budget);
  const stamp = hashContent(page, { ...draft, headMetas }, digest, parts);
  const { isCut } = page.content;
  const { headings, markdown, chunks } = findForms(page, draft);
  const document: PushDocument = {
    uri,
    stamp,
    metas: [...contentMetas, ...headMetas, ...visitMetas],
    master: draft.hasOtherText && !draft.keepsBytes ? createTextPart(page, text) : draft.master,
    text,
    ...(isCut || parts?.length ? { textIsCut: true } : {}),
    ...(headings === undefined ? {} : { headings }),
    ...(markdown === undefined ? {} : { markdown }),
    ...(chunks === undefined ? {} : { chunks: identifyChunks(chunks, uri, digest) }),
    ...(parts ? { parts } : {}),
    ...(page.content.partsAreIncomplete ? { keepsParts: true } : {}),
  };
  spend(budget, document);
  return document;
}

/** Compressed documents have more text than bytes. */
const measureSource = ({ body, content: { text, parts = [] } }: FetchedPage): number =>
  parts.reduce((length, part) => length + part.text.length, Math.max(body.byteLength, text.length));

function spend(budget: OutputBudget, document: PushDocument): void {
  if (budget.add(document)) return;
  const message = `more than ${budget.limit} characters would be delivered for the page`;
  throw new StepFailed('document-too-large', message);
}

/** Only a page's own text has Markdown. Headings of other documents are those that their readers found. */
function findForms(
  { content, contentDefinition, file, mediaType }: FetchedPage,
  { hasOtherText, text: givenText }: DocumentDraft,
): Pick<PushDocument, 'headings' | 'markdown' | 'chunks'> {
  if (!hasOtherText && !file && isPage(mediaType)) return content;
  const { headings: wantsHeadings, chunks: definition } = contentDefinition ?? {};
  const headings = (hasOtherText ? undefined : content.headings) ?? [];
  const shownHeadings = wantsHeadings ? headings.filter((heading) => heading.text !== '') : [];
  const forms = shownHeadings.length === 0 ? {} : { headings: shownHeadings };
  if (!definition) return forms;
  const text = hasOtherText ? givenText : content.text;
  const blockEnds = Array.from(text.matchAll(/\n+/g), ({ index }) => index);
  const chunks = hasOtherText ? undefined : content.chunks;
  return { ...forms, chunks: chunks ?? splitIntoChunks({ text, headings, blockEnds }, definition) };
}

/** The same text below the same headings, if it occurs several times, counts from the first to the last. */
function identifyChunks(chunks: readonly Chunk[], uri: string, digest: Digest): Chunk[] {
  const counts = new Map<string, number>();
  return chunks.map((chunk) => {
    const content = JSON.stringify([uri, chunk.path, onOneLine(chunk.text)]);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return { id: digest(count === 0 ? content : `${content}${count}`), ...chunk };
  });
}

/** A document that is being built from a part of a page. */
interface PartDraft {
  readonly page: FetchedPage;
  readonly uri: string;
  draft: DocumentDraft;
}

const NOTHING_FOUND: ReadonlyMap<number, readonly string[]> = new Map();
/** What a file within a document does not take over from it. */
const NO_FACTS: Partial<PageContent> = { firstHeading: undefined, structured: undefined, encoding: undefined };

/** What applies to the page applies to its parts, too, but they have their own title, fields and text. */
function draftPart(page: FetchedPage, { id, title, found = NOTHING_FOUND, file, ...forms }: PagePart): PartDraft {
  const content: PageContent = {
    ...page.content,
    ...(file ? { ...NO_FACTS, language: file.language, metas: file.metas, fields: file.fields } : {}),
    ...forms,
    title: title === '' ? page.content.title : title,
    found: new Map([...(page.content.found ?? []), ...found]),
    isCut: true,
    links: [],
    ownText: undefined,
    parts: undefined,
  };
  const { url } = page;
  const uri = createPartUri(url.href, id);
  const task = { ...page.task, stamp: undefined, url: uri };
  const draft = createDraft(page);
  const part: FetchedPage = {
    ...page,
    task,
    content,
    textOnly: true,
    hashesContent: true,
    file,
    accessMetas: getAccessMetas(page.content),
  };
  for (const step of BUILT_IN_STEPS) if (step.kind === 'sync') step.run(draft, part);
  const contentMetas = draft.contentMetas.map((meta) =>
    meta.name === 'publicUrl' && meta.value === url.href ? { ...meta, value: uri } : meta,
  );
  contentMetas.push({ name: 'part_of', value: url.href });
  return { page: part, uri, draft: { ...draft, contentMetas } };
}

/** Creates the documents of the parts that were split off the page. */
function createPartDocuments(parts: readonly PartDraft[], digest: Digest, budget: OutputBudget): PushDocument[] {
  return parts.map((part) => {
    const document = createDocument(part.page, part.draft, digest, undefined, part.uri);
    spend(budget, document);
    return document;
  });
}

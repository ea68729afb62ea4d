import type { Form } from './form.js';
import { DOCUMENT_FIELD, FIELD, MAIN_PART, TEXT_PART } from './names.js';
import { Refusal } from './refusal.js';

/** One document as a connector sends it. */
export interface PushedDocument {
  readonly uri: string;
  readonly stamp: string;
  /** In the order sent; a name may occur several times. */
  readonly metas: readonly { readonly name: string; readonly value: string }[];
  readonly master?: PushedPart;
  /** Text of a main part that is not text itself, in UTF-8. */
  readonly text?: Buffer;
}

export interface PushedPart {
  readonly bytes: Buffer;
  /** Lower case, without parameters; empty if the connector did not give one. */
  readonly mimeType: string;
  readonly fileName: string;
  /** Charset label; empty if the connector did not give one. */
  readonly encoding: string;
}

interface Draft {
  uri?: string;
  stamp: string;
  metas: { name: string; value: string }[];
  parts: Map<string, { bytes: Buffer; mimeType: string; fileName: string }>;
  directives: Map<string, string>;
}

/**
 * Parses the documents of an `add_documents` form, in the order in which their keys first appear. Throws a Refusal if
 * they are invalid.
 */
export function parseDocuments(form: Form): PushedDocument[] {
  const drafts = new Map<string, Draft>();
  for (const { name, value } of form.fields) {
    const { draft, field } = findOrAddDraft(drafts, name);
    addField(draft, field, value, name);
  }
  for (const { name, ...part } of form.files) {
    const { draft, field } = findOrAddDraft(drafts, name);
    draft.parts.set(field.slice(FIELD.partBytes.length), part);
  }
  if (drafts.size === 0)
    throw new Refusal('no document: expected fields named PAPI_<key>:uri, PAPI_<key>:meta:<name> …');
  return [...drafts].map(([key, draft]) => toDocument(key, draft));
}

function findOrAddDraft(drafts: Map<string, Draft>, name: string): { draft: Draft; field: string } {
  const [, key, field] = DOCUMENT_FIELD.exec(name) ?? [];
  if (key === undefined || field === undefined)
    throw new Refusal(`unknown field ${name}: a document's fields are named PAPI_<key>:<field>`);
  let draft = drafts.get(key);
  if (!draft) {
    draft = { stamp: '', metas: [], parts: new Map(), directives: new Map() };
    drafts.set(key, draft);
  }
  return { draft, field };
}

function addField(draft: Draft, field: string, value: string, name: string): void {
  if (field === FIELD.uri) {
    if (draft.uri !== undefined) throw new Refusal(`${name} occurs twice`);
    draft.uri = value;
  } else if (field === FIELD.stamp) draft.stamp = value;
  else if (field.startsWith(FIELD.meta)) draft.metas.push({ name: field.slice(FIELD.meta.length), value });
  else if (field.startsWith(FIELD.partDirective)) draft.directives.set(field.slice(FIELD.partDirective.length), value);
  else
    throw new Refusal(
      `unknown field ${name}: expected uri, stamp, meta:<name>, part_bytes:<part> or part_directive:<part>:<name>`,
    );
}

function toDocument(key: string, draft: Draft): PushedDocument {
  if (!draft.uri) throw new Refusal(`document ${key} has no PAPI_${key}:uri`);
  const { uri, stamp, metas } = draft;
  const part = draft.parts.get(MAIN_PART);
  if (!part) return { uri, stamp, metas };
  const findDirective = (name: string) => draft.directives.get(`${MAIN_PART}:${name}`);
  const mimeType = findDirective('certifiedMime') ?? findDirective('mimeHint') ?? part.mimeType;
  const master: PushedPart = {
    bytes: part.bytes,
    mimeType: (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase(),
    fileName: findDirective('filename') ?? part.fileName,
    encoding: findDirective('encoding') ?? '',
  };
  const text = draft.parts.get(TEXT_PART)?.bytes;
  return { uri, stamp, metas, master, ...(text ? { text } : {}) };
}

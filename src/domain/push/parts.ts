/**
 * Documents that were split off from a page (`cw:Split`). A sink has them under the page's URL with a fragment; the
 * store keeps them in their page's row, because they are added and deleted with it.
 */
import { isHashRoute } from '../url/crawl-url.js';
import type { PushDocument } from './order.js';

export interface PartState {
  /** Fragment of its URI, percent-encoded. */
  readonly id: string;
  /** Digest of the document that the sinks hold. */
  readonly stamp: string;
  /** Set if the page no longer has it and its deletion is held for a person. */
  readonly held?: true;
}

/** Maximum number of documents per page. */
export const MAX_PARTS = 500;
const LONGEST_ID = 200;

/** Reason for deleting a part that its page no longer has. */
export const PART_GONE = 'part-gone';
/** Reason for deleting a part together with its page. */
export const WITH_ITS_PAGE = 'with-its-page';

export const createPartUri = (page: string, id: string): string => `${page}#${id}`;

/** Undefined without a fragment, or if the fragment is the route of a page: an id contains no slash. */
export function parsePartUri(uri: string): { readonly page: string; readonly id: string } | undefined {
  const hash = uri.lastIndexOf('#');
  if (hash < 0) return undefined;
  const id = uri.slice(hash + 1);
  return isHashRoute(id) ? undefined : { page: uri.slice(0, hash), id };
}

/** Fragments for the parts of a page, in the same order: their names, made unique. */
export function createPartIds(names: readonly (string | undefined)[]): string[] {
  const taken = new Set<string>();
  return names.map((name, at) => {
    const wanted = toFragment(name) ?? `part-${at + 1}`;
    let id = wanted;
    for (let next = 2; taken.has(id); next++) id = `${wanted}-${next}`;
    taken.add(id);
    return id;
  });
}

function toFragment(name: string | undefined): string | undefined {
  const trimmed = name?.trim() ?? '';
  if (trimmed === '' || trimmed.length > LONGEST_ID) return undefined;
  return encodeURIComponent(trimmed.toWellFormed());
}

export interface PartChanges {
  /** Parts to be pushed. */
  readonly pushed: readonly PushDocument[];
  /** Parts in the index that are no longer on the page. */
  readonly gone: readonly PartState[];
  /** Parts that are on the page again and whose deletion is held. */
  readonly back: readonly PartState[];
}

/** @param isKnown the sinks are known to hold what `before` says, so equal parts need not be pushed again */
export function findPartChanges(
  before: readonly PartState[],
  parts: readonly PushDocument[],
  isKnown: boolean,
): PartChanges {
  const known = new Map(before.map((part) => [part.id, part]));
  const present = new Map(parts.map((part) => [parsePartUri(part.uri)!.id, part]));
  return {
    pushed: isKnown ? [...present].flatMap(([id, part]) => (known.get(id)?.stamp === part.stamp ? [] : [part])) : parts,
    gone: before.filter(({ id }) => !present.has(id)),
    back: before.filter(({ id, held }) => held === true && present.has(id)),
  };
}

export const toPartStates = (parts: readonly PushDocument[]): PartState[] =>
  parts.map(({ uri, stamp }) => ({ id: parsePartUri(uri)!.id, stamp }));

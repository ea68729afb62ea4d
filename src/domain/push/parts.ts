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
  /** Set if the page no longer has it and its deletion is held by the deletion guard. */
  readonly held?: true;
}

/** Maximum number of documents per page. */
export const MAX_PARTS = 500;
const MAX_ID_LENGTH = 200;

/** Reason for deleting a part that its page no longer has. */
export const PART_GONE = 'part-gone';
/** Reason for deleting a part together with its page. */
export const WITH_ITS_PAGE = 'with-its-page';

export const createPartUri = (page: string, id: string): string => `${page}#${id}`;

/** Returns undefined without a fragment, or if the fragment is the route of a page; ids do not contain slashes. */
export function parsePartUri(uri: string): { readonly page: string; readonly id: string } | undefined {
  const hashIndex = uri.lastIndexOf('#');
  if (hashIndex < 0) return undefined;
  const id = uri.slice(hashIndex + 1);
  return isHashRoute(id) ? undefined : { page: uri.slice(0, hashIndex), id };
}

/** Creates the fragments of a page's parts, in the same order, from their names, which are made unique. */
export function createPartIds(names: readonly (string | undefined)[]): string[] {
  const takenIds = new Set<string>();
  return names.map((name, index) => {
    const baseId = toFragment(name) ?? `part-${index + 1}`;
    let id = baseId;
    for (let suffix = 2; takenIds.has(id); suffix++) id = `${baseId}-${suffix}`;
    takenIds.add(id);
    return id;
  });
}

/** Returns undefined if the name is missing, empty or too long. */
export function toFragment(name: string | undefined): string | undefined {
  const trimmed = name?.trim() ?? '';
  if (trimmed === '' || trimmed.length > MAX_ID_LENGTH) return undefined;
  return encodeURIComponent(trimmed.toWellFormed());
}

export interface PartChanges {
  /** Parts to be pushed. */
  readonly partsToPush: readonly PushDocument[];
  /** Parts in the index that are no longer on the page. */
  readonly goneParts: readonly PartState[];
  /** Parts that are on the page again and whose deletion is held. */
  readonly returnedParts: readonly PartState[];
}

/**
 * @param isKnown whether the sinks are known to hold the parts in `previousParts`, so that equal parts are not pushed again
 */
export function findPartChanges(
  previousParts: readonly PartState[],
  parts: readonly PushDocument[],
  isKnown: boolean,
): PartChanges {
  const previousById = new Map(previousParts.map((part) => [part.id, part]));
  const currentById = new Map(parts.map((part) => [parsePartUri(part.uri)!.id, part]));
  return {
    partsToPush: isKnown
      ? [...currentById].flatMap(([id, part]) => (previousById.get(id)?.stamp === part.stamp ? [] : [part]))
      : parts,
    goneParts: previousParts.filter(({ id }) => !currentById.has(id)),
    returnedParts: previousParts.filter(({ id, held }) => held === true && currentById.has(id)),
  };
}

export const toPartStates = (parts: readonly PushDocument[]): PartState[] =>
  parts.map(({ uri, stamp }) => ({ id: parsePartUri(uri)!.id, stamp }));

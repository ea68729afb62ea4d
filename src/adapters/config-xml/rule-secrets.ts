/** Hides secrets in indexer.conf and crawl.rules files, which it splits into lines as their parsers do. */
import { findUserInfoRanges, replaceRanges, type TextRange } from '../../domain/redact.js';
import { PLACEHOLDER } from './placeholder.js';
import { suggestsSecret } from './secret-ranges.js';

/** Returns the text with all secrets hidden, including those in comments. */
export function redactRules(text: string): string {
  const ranges: TextRange[] = [];
  let start = 0;
  // A backslash at the end of a line continues it.
  for (const { index, 0: lineBreak } of text.matchAll(/(?<!\\)(?:\r\n|\n|\r)|$/g)) {
    for (const [from, to] of findSecrets(text.slice(start, index))) ranges.push([start + from, start + to]);
    start = index + lineBreak.length;
  }
  return replaceRanges(text, ranges, PLACEHOLDER);
}

const COMMAND = /^[\s\uFEFF#]*([^\s\uFEFF#=:][^\s=:]*)(?:[ \t=:]|\\\r?\n)+/;

/**
 * Finds everything after a command whose name suggests a login (`AuthBasic`, `ProxyAuthBasic`, even if misspelled), and
 * user info in URLs.
 */
function findSecrets(line: string): readonly TextRange[] {
  const [prefix = '', name = ''] = COMMAND.exec(line) ?? [];
  const isSecret = /auth/i.test(name) || suggestsSecret(name);
  const end = line.trimEnd().length;
  if (isSecret && prefix.length < end) return [[prefix.length, end]];
  if (/^HTTPHeader$/i.test(name)) return findHeaderValueRange(line, prefix.length, end);
  return findUserInfoRanges(line);
}

function findHeaderValueRange(line: string, from: number, end: number): TextRange[] {
  const colon = line.indexOf(':', from);
  return colon >= 0 && colon + 1 < end ? [[colon + 1, end]] : [];
}

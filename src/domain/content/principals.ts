/** Reads the principals (users, groups) that a configuration, a header or a meta lists. */

export interface PrincipalList {
  readonly names: readonly string[];
  /** What could not be taken from the text; undefined if `names` is everything it says. */
  readonly problem?: string;
}

export const MAX_PRINCIPALS = 1_000;
const MAX_PRINCIPAL_LENGTH = 256;
/** Leaves room for separators and quotes. */
const MAX_TEXT_LENGTH = MAX_PRINCIPALS * MAX_PRINCIPAL_LENGTH * 2;

/** The first attribute of a distinguished name (RFC 4514, 3), such as `CN=Board,OU=Groups,DC=example,DC=com`. */
const NAMED_ATTRIBUTE = /^(?:CN|OU|DC|O|UID|L|ST|C|STREET|\d+(?:\.\d+)+)\s*=/i;
const ATTRIBUTE = /^[A-Za-z0-9][A-Za-z0-9.-]*\s*=/;
const DOMAIN_COMPONENT = /^DC\s*=/i;
/** Characters that nobody sees: a name with one is another name, and who is denied by it would be allowed. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Persian and Indian names are written with joiners. */
const JOINED = /(?<=[\u0600-\u0dff])[\u200c\u200d](?=[\u0600-\u0dff])/g;

/**
 * Principals are separated by commas, semicolons or line breaks, but not by spaces, which group names may contain. A
 * distinguished name is one principal: beside it, only semicolons and line breaks separate. In double quotes, nothing
 * does; a quote inside them is written twice.
 */
export function parsePrincipals(text: string | undefined): PrincipalList {
  if (text !== undefined && text.length > MAX_TEXT_LENGTH) return { names: [], problem: 'the list is too long' };
  const { pieces, isClosed } = splitUnquoted(text ?? '', /[;\r\n]/);
  const names: string[] = [];
  let problem = isClosed ? undefined : 'a double quote is not closed';
  for (const piece of pieces) {
    const listed = splitPiece(piece);
    if (listed === undefined) problem ??= `"${shorten(piece)}" mixes a distinguished name with other names`;
    for (const written of isClosed ? (listed ?? []) : []) {
      const name = removeQuotes(written)
        .trim()
        .replace(/\p{Zs}/gu, ' ')
        .normalize('NFC');
      if (name === '') continue;
      if (name.length > MAX_PRINCIPAL_LENGTH)
        problem ??= `"${shorten(name)}" has more than ${MAX_PRINCIPAL_LENGTH} characters`;
      else if (/[\p{Cc}\uFFFD]/u.test(name)) problem ??= 'a name contains a control character or is not valid text';
      else if (INVISIBLE.test(name.replace(JOINED, '')))
        problem ??= `"${escapeInvisible(shorten(name))}" contains an invisible character`;
      else if (names.length === MAX_PRINCIPALS) problem ??= `there are more than ${MAX_PRINCIPALS} names`;
      else names.push(name);
    }
  }
  return { names, problem };
}

/** The names in a text without semicolons; undefined if it is unclear where a distinguished name begins or ends. */
function splitPiece(piece: string): readonly string[] | undefined {
  const parts = splitUnquoted(piece, /,/).pieces.map((part) => part.trim());
  if (parts.length === 1 || !parts.some((part) => NAMED_ATTRIBUTE.test(part))) return parts;
  const [first = ''] = parts;
  if (!NAMED_ATTRIBUTE.test(first) || !parts.every((part) => ATTRIBUTE.test(part))) return undefined;
  // Directories end their names with the domain: whatever follows it begins another name.
  const endOfDomain = parts.findIndex((part, i) => i > 0 && isDomain(parts[i - 1]) && !isDomain(part));
  return endOfDomain !== -1 && !isDomain(first) ? undefined : [piece];
}

const isDomain = (part = ''): boolean => DOMAIN_COMPONENT.test(part);

/** Splits at separators that are neither quoted nor escaped with a backslash. */
function splitUnquoted(text: string, separator: RegExp): { pieces: string[]; isClosed: boolean } {
  const pieces: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') isQuoted = !isQuoted;
    else if (char === '\\' && /[,;"\\]/.test(text.charAt(i + 1))) i++;
    else if (!isQuoted && separator.test(char)) {
      pieces.push(text.slice(start, i));
      start = i + 1;
    }
  }
  pieces.push(text.slice(start));
  return { pieces, isClosed: !isQuoted };
}

function removeQuotes(written: string): string {
  const name = written.trim();
  return name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

const shorten = (text: string): string => (text.length > 40 ? `${text.trim().slice(0, 40)}…` : text.trim());

const escapeInvisible = (name: string): string =>
  name.replace(
    new RegExp(INVISIBLE, 'gu'),
    (char) => `\\u{${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}}`,
  );

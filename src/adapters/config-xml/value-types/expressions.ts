/** Values with their own syntax: selectors, expressions, cron, SQL names. */
import { Cron } from 'croner';
import { compile } from 'css-select';
import { isTraversal, parse, type Selector, SelectorType } from 'css-what';
import { RE2JS } from 're2js';
import { parseSteps, STEPS_FORM } from '../../../domain/render/steps.js';
import { invalid, ok, type ValueType, XSD_STRING } from './value-type.js';

const SQL_NAME = '[A-Za-z_][A-Za-z0-9_]{0,62}';

export const sqlTable: ValueType<string> = {
  label: 'table name, `table` or `schema.table`',
  xsd: `<xs:restriction base="xs:string"><xs:pattern value="${SQL_NAME}(\\.${SQL_NAME})?"/></xs:restriction>`,
  parse: (value) => {
    const text = value.trim();
    const isTable = new RegExp(`^${SQL_NAME}(\\.${SQL_NAME})?$`).test(text);
    return isTable ? ok(text) : invalid('a table name of letters, digits and `_`, like documents or public.documents');
  },
};

export const cron: ValueType<string> = {
  label: 'cron expression with five fields: minute hour day month weekday',
  xsd: XSD_STRING,
  parse: (value) => {
    try {
      new Cron(value.trim(), { mode: '5-part', paused: true });
      return ok(value.trim());
    } catch {
      return invalid('a cron expression with five fields like 0 3 * * * (minute hour day month weekday)');
    }
  },
};

export const timeZone: ValueType<string> = {
  label: 'IANA time zone, for example `Europe/Paris`',
  xsd: XSD_STRING,
  parse: (value) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: value.trim() });
      return ok(value.trim());
    } catch {
      return invalid('an IANA time zone like Europe/Paris or UTC');
    }
  },
};

export const renderSteps: ValueType<string> = {
  label: 'steps on a page',
  xsd: XSD_STRING,
  parse: (value) => (parseSteps(value) ? ok(value.trim()) : invalid(STEPS_FORM)),
};

export const datePattern: ValueType<string> = {
  label: 'date pattern like `dd.MM.yyyy HH:mm`',
  xsd: XSD_STRING,
  parse: (value) => (value.includes('yyyy') ? ok(value) : invalid('a date pattern with `yyyy`, like dd.MM.yyyy')),
};

const MAX_EXPRESSION_LENGTH = 4_096;

const getErrorMessage = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 200);

/**
 * Finds what css-what accepts although it matches nothing, or far too much: `..name` as a class whose name begins with a
 * dot, which would have to be escaped (`.\\.name`), `(p` as an element, `main >` as everything inside `main`.
 * @param isRelative whether a combinator may come first, as in `:has(> p)`
 */
function findSlip(text: string, selectors: readonly Selector[][], isRelative = false): string | undefined {
  if (selectors.some((tokens) => isTraversal(tokens.at(-1)!) || (!isRelative && isTraversal(tokens[0]!))))
    return 'remove the combinator at its beginning or end';
  for (const token of selectors.flat()) {
    const isName = token.type === SelectorType.Attribute && /^(?:class|id)$/.test(token.name);
    if (isName && /^[.#]/.test(token.value) && /[.#][.#]/.test(text)) return 'remove the extra . or #';
    if (token.type === SelectorType.Tag && !/^[\p{L}_-]/u.test(token.name)) return `remove the ${token.name[0]}`;
    const inner = 'data' in token && Array.isArray(token.data) ? token.data : [];
    const slip =
      inner.length === 0
        ? undefined
        : findSlip(text, inner, token.type === SelectorType.Pseudo && token.name === 'has');
    if (slip !== undefined) return slip;
  }
  return undefined;
}

/** A CSS selector. It is checked by compiling it with the library that applies it to pages. */
export const selector: ValueType<string> = {
  label: 'CSS selector',
  xsd: XSD_STRING,
  parse: (value) => {
    const text = value.trim();
    if (text === '' || text.length > MAX_EXPRESSION_LENGTH) return invalid('a CSS selector like main .article > p');
    try {
      compile(text);
      const slip = findSlip(text, parse(text));
      return slip === undefined ? ok(text) : invalid(`a CSS selector like main .article > p (${slip})`);
    } catch (error) {
      return invalid(`a CSS selector like main .article > p (${getErrorMessage(error)})`);
    }
  },
};

/** A regular expression that runs in linear time. */
export const regex: ValueType<string> = {
  label: 'regular expression without look-around or back-references',
  xsd: XSD_STRING,
  parse: (value) => {
    if (value.trim() === '' || value.length > MAX_EXPRESSION_LENGTH) return invalid('a regular expression');
    try {
      RE2JS.compile(value);
      return ok(value);
    } catch (error) {
      return invalid(`a regular expression without look-around or back-references (${getErrorMessage(error)})`);
    }
  },
};

export const jsonLdPath: ValueType<string> = {
  label: 'path like `author.name` or `Product:offers.price`',
  xsd: XSD_STRING,
  parse: (value) =>
    /^(?:[^:.\s]+:)?[^:.\s]+(?:\.[^:.\s]+)*$/.test(value.trim())
      ? ok(value.trim())
      : invalid('names separated by dots, like author.name or Product:offers.price'),
};
